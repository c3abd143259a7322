"""Neural networks as ONNX graphs: defined once, trained with JAX, and evaluated by ONNX Runtime."""
