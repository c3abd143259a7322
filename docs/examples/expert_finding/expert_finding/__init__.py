"""A task for cqa-spark: rank users who may answer a question."""
