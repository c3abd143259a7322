"""Systems: recipes, trained systems, and their model folders."""
