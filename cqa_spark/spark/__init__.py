"""The Spark session, jobs that run concurrently, and what Spark's failures mean to a user."""
