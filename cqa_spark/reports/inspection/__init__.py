"""The content of a lake's community tables, in the terminal, as JSON and as an HTML page."""
