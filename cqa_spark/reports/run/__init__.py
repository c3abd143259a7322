"""The report of a run: one HTML page, and the table of systems in the terminal."""
