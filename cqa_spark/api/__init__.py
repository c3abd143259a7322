"""The Python API: ``import cqa_spark as cqa``."""
