"""What is in a lake: gathered from its tables, shown in a terminal, as JSON and as a page."""
