"""The feature importances of each system."""
