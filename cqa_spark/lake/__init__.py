"""Tables in a local folder or object storage: schemas, runs and their files, publishing, collection.

Independent of the meaning of the tables.
"""
