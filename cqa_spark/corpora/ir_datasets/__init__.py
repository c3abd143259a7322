"""Test collections of ir_datasets, an optional package that downloads them."""
