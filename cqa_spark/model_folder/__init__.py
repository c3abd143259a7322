"""Folders that hold what was learned: data in known formats, listed with checksums; reading one runs no code."""
