"""The contents of a run, by table and site."""
