"""A folder per family of feature groups, a module per group; ``cqa_spark.features.registry`` finds them."""
