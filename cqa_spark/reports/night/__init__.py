"""The changes and checks of a nightly run."""
