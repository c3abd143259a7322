"""What is known of an answer itself: its text and markup, votes, times, comments."""
