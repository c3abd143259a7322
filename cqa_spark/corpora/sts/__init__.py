"""Sentence pairs of the STS tasks of SemEval 2012 to 2017, and of the STS Benchmark."""
