"""What a run may measure beside its rankings: cross-validation, ablation by family, learning curve."""
