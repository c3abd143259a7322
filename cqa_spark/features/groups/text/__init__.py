"""Features of the wording of a text: surface, tone, and vocabulary of good comments."""
