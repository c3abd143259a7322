"""Feature groups of texts, threads, questions and authors; ``cqa_spark.features.registry`` finds them."""
