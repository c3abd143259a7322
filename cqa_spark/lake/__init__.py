"""Delta tables on a local folder or object storage: schemas, runs, publishing, reading published tables.

Independent of the meaning of the tables.
"""
