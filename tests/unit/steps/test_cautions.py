"""Which groups do not know the language of the texts."""

from cqa_spark.features.registry import group_class
from cqa_spark.steps.cautions import foreign_texts

GROUPS = [group_class(name) for name in ("overlap_v1", "bge_pair_regression_v1", "use_pair_regression_v1")]


def test_english_texts_are_known_to_all_groups() -> None:
    assert list(foreign_texts(GROUPS, {"train": {"en": 0.75, "other": 0.25}})) == []


def test_stems_and_english_encoders_do_not_know_another_language() -> None:
    (stems, affected), (encoder, encoded) = foreign_texts(GROUPS, {"test": {"en": 0.5, "other": 0.5}, "train": {}})
    assert stems.startswith("50% of the texts of test seem to be neither English nor Arabic: their words are compared")
    assert affected == ("overlap_v1",)
    assert encoder.startswith("50% of the texts of test seem to be in a language that bge_small_en was not trained on")
    assert encoded == ("bge_pair_regression_v1",)


def test_arabic_has_stems_but_no_place_in_english_encoders() -> None:
    found = list(foreign_texts(GROUPS, {"train": {"ar": 0.9, "en": 0.1}}))
    assert [groups for _, groups in found] == [("bge_pair_regression_v1",)]


def test_a_multilingual_encoder_alone_knows_other_languages() -> None:
    assert list(foreign_texts(GROUPS[2:], {"test": {"other": 1.0}})) == []
