"""Generates a site of the Stack Exchange network of any size, as the eight files of a dump."""
