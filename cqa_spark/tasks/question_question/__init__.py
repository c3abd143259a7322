"""Task B: rank related questions for a new question."""
