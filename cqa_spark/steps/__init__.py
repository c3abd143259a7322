"""One module per step of the flow in docs/design.md: reads tables of a run, calls one package, writes tables."""
