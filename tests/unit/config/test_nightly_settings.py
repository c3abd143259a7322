from __future__ import annotations

from cqa_spark.config.resolve import resolve
from cqa_spark.config.settings import NightlySettings
from cqa_spark.corpora.registry import require_dump_format


def test_a_night_reads_dumps_whatever_the_format_of_annotated_files_is_in_base_yaml() -> None:
    arguments = ["--lake", "lake", "--input", __file__]
    found = resolve("cqa nightly", NightlySettings, arguments, {"system": lambda name: None}).settings
    assert found.dump_format == "stackexchange"
    require_dump_format(found.dump_format)
