"""Similarity of a candidate to its question: words, characters, meaning, topics, translations."""
