"""Question lists: a site's questions as JSON lines, and known duplicates as pairs of ids."""
