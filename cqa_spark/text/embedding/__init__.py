"""Sentence embeddings: texts as unit vectors, from pretrained models that are installed beside the jars."""
