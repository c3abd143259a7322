"""The measures of all systems, and their comparison with the baseline."""
