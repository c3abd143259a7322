"""The search for better parameters of a ranker, on training data alone."""
