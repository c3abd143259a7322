"""Delta tables on a local folder or object storage: schemas, runs, publishing, reading what is published.

Knows how tables are stored and made visible, never what they mean.
"""
