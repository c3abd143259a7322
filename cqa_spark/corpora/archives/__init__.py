"""Compressed dumps: archives that Spark cannot split or read are unpacked once into a staging folder."""
