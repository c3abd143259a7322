"""Feature groups by family: a module, or a package of modules, has the name of the family that its groups declare."""
