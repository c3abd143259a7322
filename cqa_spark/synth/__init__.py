"""Invented communities with learnable signal, as dumps: the sample, the tests' and benchmarks' input."""
