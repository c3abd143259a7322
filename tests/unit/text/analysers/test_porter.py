import pytest

from cqa_spark.text.analysers.porter import stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("feed", "fe"), ("plastered", "plaster"),
        ("sing", "sing"), ("motoring", "motor"), ("hopping", "hop"), ("falling", "fall"), ("filing", "file"),
        ("happy", "happi"), ("sky", "sky"), ("relational", "relat"), ("rational", "ration"), ("electrical", "electr"),
        ("adoption", "adopt"), ("rate", "rate"), ("probate", "probat"), ("controll", "control"), ("roll", "roll"),
        ("agreed", "agr"), ("", ""), ("s", ""), ("naïve", "naïv"), ("don't", "don't"), ("10", "10"),
    ],
)  # fmt: skip
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected
