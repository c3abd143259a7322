"""Reproduced and published results of the recipes."""
