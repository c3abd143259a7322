"""Networks that PyTorch trains and NumPy runs: workers that score need no PyTorch."""
