"""Neural networks, trained with PyTorch and run with NumPy, so that scoring needs no PyTorch."""
