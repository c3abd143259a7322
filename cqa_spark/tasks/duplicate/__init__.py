"""Task E: find earlier questions of a site that a question duplicates."""
