"""Task D: rank question-answer pairs for a question, in Arabic."""
