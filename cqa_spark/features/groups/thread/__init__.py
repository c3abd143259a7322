"""What follows from the thread: question and candidate side by side, the comments in order, ranks, tags and dates."""
