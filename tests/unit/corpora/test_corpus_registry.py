from __future__ import annotations

from collections.abc import Callable

import pytest

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.registry import file_source, require_dump_format, require_file_format
from cqa_spark.errors import ConfigError
from cqa_spark.tasks.formats import QatarLiving

STORAGE = ObjectStorageSettings()


def files(corpus: str) -> object:
    return file_source(corpus, {"train": ["train.xml"]}, site="qatarliving.com", storage=STORAGE)


@pytest.mark.parametrize(
    ("give", "corpus", "known"),
    [
        (require_file_format, "usenet", "cqa_md, qatar_living, question_pairs, sts"),
        (require_file_format, "stackexchange", "cqa_md, qatar_living, question_pairs, sts"),
        (files, "usenet", "cqa_md, qatar_living, question_pairs, sts"),
        (require_dump_format, "qatar_living", "question_list, stackexchange"),
    ],
)
def test_an_unknown_format_is_answered_with_the_known_ones(
    give: Callable[[str], object], corpus: str, known: str
) -> None:
    with pytest.raises(ConfigError) as error:
        give(corpus)
    assert str(error.value) == f"unknown source format: {corpus}\n  → known formats: {known}"


def test_files_of_a_known_format_are_a_source() -> None:
    assert files("qatar_living") == QatarLiving({"train": ["train.xml"]}, "qatarliving.com", STORAGE)
