"""Feature groups by place: of a text, of a thread, of an author; ``cqa_spark.features.registry`` finds them."""
