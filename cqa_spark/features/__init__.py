"""Feature groups: named, versioned, documented columns about questions, candidates, authors and pairs."""
