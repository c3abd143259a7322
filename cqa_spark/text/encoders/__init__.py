"""Sentence encoders: texts → unit vectors, with pretrained models that are installed next to the jars."""
