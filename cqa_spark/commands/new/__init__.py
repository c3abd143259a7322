"""``cqa new``: writes a package with a plug-in, its entry point and its test."""
