"""Task C: rank comments of related threads for a new question."""
