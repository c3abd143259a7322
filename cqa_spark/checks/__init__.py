"""Whether a run is fit to be seen: each check looks at its tables beside the published ones, and gives a verdict."""
