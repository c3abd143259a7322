"""What a candidate is like, whatever the query."""
