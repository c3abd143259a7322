"""The Spark session, jobs that run concurrently, and errors for Spark's failures."""
