"""Objects by key, and files by location, in folders and buckets alike; independent of tables."""
