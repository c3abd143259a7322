"""Community tables as tables: Parquet, CSV, JSON lines, Delta, or a table of Spark's catalogue."""
