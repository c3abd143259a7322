"""Features of the thread: similarity of question and candidate, dialogue of comments, ranks, tags and dates."""
