"""Objects by key, and files by location, in folders and buckets alike; knows nothing of tables."""
