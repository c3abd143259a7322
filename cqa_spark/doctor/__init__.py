"""Checks of the environment: each tests a requirement of jobs, and gives a remedy if it fails."""
