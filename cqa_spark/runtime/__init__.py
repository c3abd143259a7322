"""Runs flows: the contract of a step, the workspace, progress, provenance, tracking."""
