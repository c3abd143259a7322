"""Typed settings: one definition gives YAML keys, flags, defaults and help; knows nothing of Spark."""
