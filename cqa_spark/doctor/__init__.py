"""Checks before the first job: each tries what a job will need, and says what to do where that fails."""
