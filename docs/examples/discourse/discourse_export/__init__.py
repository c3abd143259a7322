"""A source format for cqa-spark: topics of a Discourse forum, as JSON."""
