"""The interface for Python: ``import cqa_spark as cqa``."""
