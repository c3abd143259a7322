"""Typed settings: one definition gives YAML keys, flags, defaults and help texts. Independent of Spark."""
