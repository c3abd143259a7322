"""What is known of the answer beside its text."""
