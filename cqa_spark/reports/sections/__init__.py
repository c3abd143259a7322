"""The sections of reports, one module each; large ones have a package."""
