"""Comments on the question and on the answer."""
