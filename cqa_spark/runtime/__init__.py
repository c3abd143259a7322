"""What runs a flow: the contract of a step, the workspace, progress, provenance, tracking."""
