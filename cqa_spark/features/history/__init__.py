"""What was known at a moment: running totals of dated events, by a window and never by a list per user."""
