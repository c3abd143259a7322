"""One module per feature group; a module that is dropped in here is found by ``cqa_spark.features.registry``."""
