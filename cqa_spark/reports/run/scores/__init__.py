"""The distribution of scores of each system."""
