"""The answer's text: its length, and the words that it shares with the question."""
