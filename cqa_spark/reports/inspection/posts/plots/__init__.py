"""Plots of posts by month, score and tag."""
