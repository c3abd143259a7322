from __future__ import annotations

import pytest

from cqa_spark.corpora.registry import corpus_reader
from cqa_spark.errors import ConfigError


def test_an_unknown_format_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as error:
        corpus_reader("usenet")
    assert str(error.value) == "unknown source format: usenet\n  → known formats: qatar_living"
