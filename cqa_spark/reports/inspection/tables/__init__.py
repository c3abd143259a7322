"""Rows, dates, nulls and undeclared attributes of each table."""
