"""A system: its recipe, the system trained from it, and the folder that it is saved in."""
