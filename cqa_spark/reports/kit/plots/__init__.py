"""Plot primitives, drawn as SVG."""
