"""What is known of the question."""
