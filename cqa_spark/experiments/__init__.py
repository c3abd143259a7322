"""Experiments that compare systems: cross-validation, tuning, ablation, learning curves and other seeds."""
