"""Folders of fitted models: data in known formats, listed with checksums; loading one runs no code."""
