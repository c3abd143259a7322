"""Stack Exchange dumps → community tables."""
