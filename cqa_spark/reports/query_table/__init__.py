"""Every query of the evaluation: a page with a table to search and sort, and a CSV file."""
