"""Small objects by key, in a local folder or in a bucket alike; knows nothing of tables."""
