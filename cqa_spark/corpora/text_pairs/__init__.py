"""Pairs of texts: sentences of the STS tasks and the STS Benchmark, and questions that are duplicates or not."""
