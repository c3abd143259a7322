from __future__ import annotations

import pytest

from cqa_spark import flows
from cqa_spark.config.resolve import resolve
from cqa_spark.config.settings import NightlySettings


@pytest.mark.parametrize(
    ("system", "source_format"),
    [("metadata_boosted_asof", "stackexchange"), ("fused_e", "stackexchange"), ("best_c", "qatar_living")],
)
def test_a_night_reads_the_format_of_its_task_whatever_base_yaml_names(system: str, source_format: str) -> None:
    arguments = ["--lake", "lake", "--input", __file__, "--system", system]
    settings = resolve("cqa nightly", NightlySettings, arguments, {"system": lambda name: None}).settings
    assert flows.night_format(settings) == source_format
