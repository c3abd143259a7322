"""Pages that are generated from code, recipes, notebooks and project files."""
