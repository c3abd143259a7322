"""The changes between two runs, in the terminal, as JSON and as an HTML page."""
