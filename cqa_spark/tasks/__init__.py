"""Tasks, a package each: everything about a ranking problem; the contract is ``cqa_spark/examples/task.py``."""
