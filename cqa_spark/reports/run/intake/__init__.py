"""The records read and quarantined."""
