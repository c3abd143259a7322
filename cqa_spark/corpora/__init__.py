"""Source formats: each turns the dumps of one kind of site into community tables."""
