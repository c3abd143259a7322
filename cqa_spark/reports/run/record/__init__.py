"""The run itself: its inputs, steps and settings."""
