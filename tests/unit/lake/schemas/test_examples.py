"""What an example says of itself is never learned from."""

from cqa_spark.features.feature_table import feature_names
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.systems.recipes import read_systems


def test_no_column_of_the_examples_is_a_feature_of_a_night() -> None:
    (system,) = read_systems(["night_answers"])
    features = feature_names(system.feature_groups)
    assert all("__" in name for name in features)  # what rankers take for features
    assert not {*features} & {*EXAMPLES.schema.names}
    assert not any("__" in name for name in EXAMPLES.schema.names)
