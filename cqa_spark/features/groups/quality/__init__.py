"""Quality of a text whatever its question: surface, tone, readability, and vocabulary of good comments."""
