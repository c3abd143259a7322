"""Rankers that are neural networks, trained with JAX and scored by ONNX Runtime."""
