"""One module per arrow of the picture in docs/design.md: reads tables of a run, calls one package, writes tables."""
