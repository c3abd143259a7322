"""The run report: one offline HTML file per run, and the table that a terminal shows."""
