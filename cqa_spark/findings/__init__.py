"""Findings: what somebody should look at tonight, each measured on the past against a simple rival."""
