"""Similarity of syntax trees."""
