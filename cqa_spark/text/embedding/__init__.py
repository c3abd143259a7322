"""Sentence embeddings: encodes texts as unit vectors with pretrained models, which are installed next to the jars."""
