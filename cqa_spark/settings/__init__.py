"""Typed settings: one definition gives YAML keys, flags, defaults and help; all mistakes are reported together."""
