"""Building blocks of all reports: number formats, tables, plots, and the frame of an HTML page."""
