"""Task A: rank a question's comments."""
