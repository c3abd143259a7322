"""Measures of rankings, their intervals and tests, and the file formats that judgments and rankings come in."""
