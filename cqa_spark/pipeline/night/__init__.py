"""The nightly run: compare with what is published, compute what changed, check, publish, export."""
