"""What follows from the wording of a text: its surface, its tone, and the words of good comments."""
