"""Experiments that compare systems: cross-validation, ablation, learning curve, transfer, tuning, preferred answers."""
