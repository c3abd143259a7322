"""Fixtures of the feature groups' tests."""

from collections.abc import Callable, Sequence
from functools import partial

import pytest
from literal_community import community_of
from literal_threads import Thread
from pyspark.sql import SparkSession

from cqa_spark.features.inputs import FeatureInputs


@pytest.fixture
def community(spark: SparkSession) -> Callable[[Sequence[Thread]], FeatureInputs]:
    """Makes the inputs of feature groups from literal threads."""
    return partial(community_of, spark)
