"""Experiments of a run: cross-validation, ablation and learning curves."""
