"""Generates dumps of synthetic communities with learnable signal, for the sample, the tests and the benchmarks."""
