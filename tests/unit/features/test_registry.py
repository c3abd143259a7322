"""Groups are registered, and named without doubt."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
import pytest
from growth import MOST, growth
from literal_batches import batch_of
from literal_threads import Said, Thread

from cqa_spark.errors import ConfigError, ContractError
from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, LearningGroup, QueryGroup, Values
from cqa_spark.features.groups.badges import BadgeNames, BadgesAsOfV1
from cqa_spark.features.groups.quality.lexicon import Lexicon
from cqa_spark.features.groups.tags import QTagsAsOfV1
from cqa_spark.features.groups.user_tags import UTagsAsOfV1
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.registry import check_declaration, described, family, group_class, known_groups, meanings
from cqa_spark.features.top_tags import TopTags
from cqa_spark.text import string_similarity as sequences
from cqa_spark.text import vader
from cqa_spark.text.characters import BUCKETS, CharacterRuns, count_runs
from cqa_spark.text.markup import parse_body
from cqa_spark.text.post_words import plain_text_of, words_of
from cqa_spark.text.scripts import spaced_text
from cqa_spark.text.terms import Collection
from cqa_spark.text.topics import TOPICS, Topics
from cqa_spark.text.translation_model import TranslationModel
from cqa_spark.text.tree_kernel import Landmarks
from cqa_spark.text.trees import shallow_tree


class _Group(QueryGroup):
    name = "shoe_size_v1"
    family = "body"
    about = "shoes"
    entity = Entity.AUTHOR
    columns = (FeatureColumn("size", "centimetres", "ours"),)

    def compute(self, batch: QueryBatch) -> Values:
        raise NotImplementedError


def test_groups_are_listed_in_alphabetical_order() -> None:
    assert {
        "author_activity_v2",
        "author_quality_v2",
        "comment_surface_v1",
        "dialogue_v1",
        "goodness_pmi_v1",
        "lexicon_v2",
    } <= set(known_groups())
    assert list(known_groups()) == sorted(known_groups())


def test_a_group_lies_in_the_module_or_package_of_its_family() -> None:
    folder = "cqa_spark.features.groups."
    modules = {name: group_class(name).__module__ for name in known_groups()}
    family_of_path = {
        name: module.removeprefix(folder).split(".")[0] for name, module in modules.items() if module.startswith(folder)
    }
    assert family_of_path == {name: family(name) for name in family_of_path}


@pytest.mark.parametrize("name", known_groups())
def test_every_column_is_documented(name: str) -> None:
    found = group_class(name)
    assert found.name == name
    assert found.about
    assert all(column.about and column.source for column in found.columns)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", column.name) for column in found.columns)


def test_a_misspelt_name_is_answered_with_close_and_known_names() -> None:
    with pytest.raises(ConfigError) as caught:
        group_class("dialog_v1")
    assert caught.value.problem == "unknown feature group dialog_v1"
    assert caught.value.remedy.startswith("did you mean dialogue_v1 or ")
    assert caught.value.remedy.endswith(f"? cqa features list lists all {len(known_groups())} feature groups")


@pytest.mark.parametrize(
    ("name", "declared", "problem"),
    [
        ("shoe_size_v2", {}, r"Changed of .* is registered as shoe_size_v2"),
        *(
            (name, {"name": name}, "has no version")
            for name in ("shoe_size", "shoe_size_v0", "ShoeSize_v1", "size_v1b")
        ),
        ("shoe_size_v1", {"family": ""}, r"shoe_size_v1, Changed of .*, declares no family"),
        ("shoe_size_v1", {"columns": _Group.columns * 2}, "declares size twice"),
        ("shoe_size_v1", {"columns": ()}, "declares no columns"),
    ],
)
def test_a_group_with_a_mistake_in_its_declaration_is_refused(
    name: str, declared: dict[str, object], problem: str
) -> None:
    with pytest.raises(ContractError, match=problem):
        check_declaration(name, type("Changed", (_Group,), declared))


# What groups declare, as plain data.


def test_a_group_is_described_with_meaning_source_and_missing_value() -> None:
    group = described("author_activity_v2")
    assert (group["entity"], group["family"], group["learns_from"]) == ("candidate", "author", "training texts")
    (column,) = [each for each in group["columns"] if each["name"] == "log_questions"]
    assert column["about"] == "ln(1 + other questions asked)"
    assert "Nicosia et al. 2015" in column["source"]
    assert column["missing"] == -1


def test_what_a_group_learns_from_is_described() -> None:
    assert described("lexicon_v2")["learns_from"] == "labels, cross-fitted"
    assert described("dialogue_v1")["learns_from"] == "nothing"


def test_feature_columns_have_the_meaning_that_their_group_declares() -> None:
    assert meanings(["lexicon_v2__log_odds", "gone_v1__words", "lexicon_v2__gone"]) == {
        "lexicon_v2__log_odds": "log-odds of being relevant"
    }


def test_numbered_badges_are_named() -> None:
    badges = BadgesAsOfV1(BadgeNames(names=["Teacher", "Student"]))
    assert badges.meanings() == {
        "badge_001": "1 if the user had before the cut the badge Teacher",
        "badge_002": "1 if the user had before the cut the badge Student",
    }
    assert badges.meanings().keys() <= {column.name for column in badges.columns}


@pytest.mark.parametrize(
    ("group", "column", "about"),
    [
        (QTagsAsOfV1, "tag_02", "share of the tag ale among the question's tags that have a number"),
        (UTagsAsOfV1, "accepted_02", "share of the tag ale among the numbered tags of the user's accepted answers"),
    ],
)
def test_numbered_tags_of_a_single_site_are_named(group, column: str, about: str) -> None:
    one, two = {"beer": ["stout", "ale"]}, {"beer": ["stout", "ale"], "wine": ["red"]}
    assert group(TopTags(by_site=one)).meanings()[column] == about
    assert column in {each.name for each in group.columns}
    assert group(TopTags(by_site=two)).meanings() == {}


# No kernel, and no function that reads a text, takes the square of its time on longer or more texts.

SIZE = 200
"""Words of the shorter text, or comments of the smaller thread."""

_TREES = [shallow_tree([text], {}) for text in ("a b", "b a")]
_COUNTS = Collection({"a": 2, "b": 1}, 3, 6)
FITTED: Mapping[str, tuple[object, ...]] = {
    **dict.fromkeys(("term_similarity_v1", "thread_similarity_v1", "title_similarity_v1"), (_COUNTS,)),
    **dict.fromkeys(("neighbours_v1", "readability_v2", "spelling_similarity_v1"), (_COUNTS,)),
    **dict.fromkeys(("lexicon_v2", "thread_lexicon_v2"), (Lexicon(np.ones(2**17), 0.0),)),
    "character_similarity_v1": (CharacterRuns(np.ones(BUCKETS), 3),),
    "goodness_pmi_v1": ({"a": 0.5, "b": -0.5},),
    "topic_similarity_v2": (Topics(["a", "b"], np.ones((TOPICS, 2))),),
    "translation_probability_v1": (TranslationModel(["a", "b"], np.array([[0, 1, 0.5], [2, 0, 0.1], [2, 1, 0.1]])),),
    "tree_kernel_v1": (Landmarks(_TREES, _TREES[::-1]),),
}  # fmt: skip
"""What fitted groups have learned."""

OF_WORD_VECTORS = {"embedding_similarity_v1", "retrieval_models_v1", "word_centroids_v1"}
IN_FRAMES = {"goodness_pmi_v2"}
"""Their kernels look words up in what was learned in Spark; their models are tested with it."""
ALL_PAIRS = {
    ("spelling_similarity_v1", "distinct words"), ("spelling_similarity_v1", "comments"),
    ("neighbours_v1", "comments"),
}  # fmt: skip
"""Groups that compare all pairs by definition: distinct words by their spelling, comments of a thread."""


def _random_words(number: int) -> str:
    draw = random.Random(number)
    return " ".join(draw.choice("ab") for _ in range(number))


TEXTS: Mapping[str, Callable[[int], str]] = {
    "two words": _random_words,
    "one word": lambda number: "a " * number,
    "one long word": lambda number: "ab" * number,
    "distinct words": lambda number: " ".join(f"w{word}" for word in range(number)),
    "marks": lambda number: "?! :) ... " * (number // 3),
    "addresses": lambda number: "a@b.c http://d.e/f " * (number // 2),
    "names": lambda number: "@name1 thanks name2 said you " * (number // 5),
    "quotes": lambda number: "\"a '' " * (number // 2),
    "lines": lambda number: "a\n\n" * number,
    "letters without words": lambda number: "日本語" * number,
}


@cache
def _batch(kind: str, number: int) -> QueryBatch:
    return BATCHES[kind](number)


def _fresh_batch(kind: str) -> Callable[[int], QueryBatch]:
    """Batches without values that other calls derived."""
    return lambda number: replace(_batch(kind, number), _shared={})


def _thread(question: str, texts: list[str]) -> QueryBatch:
    start = datetime(2020, 1, 1, tzinfo=UTC)
    said = [
        Said(f"U{1 + number % 9}", text, start + timedelta(minutes=1 + number), f"name{number % 9}")
        for number, text in enumerate(texts)
    ]
    return batch_of([Thread("Q", "U1", said, start, "Visas", f"{question} ?", question[:100])])


BATCHES: Mapping[str, Callable[[int], QueryBatch]] = {
    **{
        name: lambda number, text=text: _thread(text(number), [text(number), text(number)[1:]])  # type: ignore[misc]
        for name, text in TEXTS.items()
    },
    "comments": lambda number: _thread("how do i", [f"thanks name1 you {comment}" for comment in range(number)]),
    "equal comments": lambda number: _thread("how do i", ["thanks name1 you ?"] * number),
}


def _of_texts(name: str) -> bool:
    """Whether a group reads texts, other than by the vectors of an encoder, and needs no network."""
    group = group_class(name)
    return issubclass(group, QueryGroup) and group.reads_texts and not group.embeddings and group.extra != "neural"


def _made(group: type[FeatureGroup]) -> QueryGroup:
    return group(*FITTED.get(group.name, ()))  # type: ignore[return-value]


@pytest.fixture(autouse=True)
def low_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of the tests exceed the lengths up to which time may grow with the square."""
    monkeypatch.setattr(vader, "MOST_WORDS", SIZE // 2)
    monkeypatch.setattr(sequences, "MOST_CHARACTERS", 8 * SIZE)
    monkeypatch.setattr(sequences, "SHORT", 0)


def test_every_group_that_learns_from_texts_is_here() -> None:
    learning = {name for name in known_groups() if _of_texts(name) and issubclass(group_class(name), LearningGroup)}
    assert learning == FITTED.keys() | OF_WORD_VECTORS | IN_FRAMES


@pytest.mark.parametrize("name", sorted(set(filter(_of_texts, known_groups())) - OF_WORD_VECTORS - IN_FRAMES))
def test_kernels(name: str) -> None:
    group = _made(group_class(name))
    kinds = [kind for kind in BATCHES if (name, kind) not in ALL_PAIRS]
    group.compute(BATCHES["two words"](10))  # compiles loops
    slow = {kind: ratio for kind in kinds if (ratio := growth(group.compute, _fresh_batch(kind), SIZE)) > MOST}
    assert slow == {}


READERS: Mapping[str, Callable[[str], object]] = {
    "parse_body": parse_body,
    "words_of": lambda text: words_of(plain_text_of(None, text)),
    "spaced_text": spaced_text,
    "polarity": vader.polarity,
    "shallow_tree": lambda text: shallow_tree(text.split("\n"), {}),
    "count_runs": lambda text: count_runs([text]),
    "tiles": lambda text: sequences.tiles(text.split(), text[1:].split(), 2),
    "longest_common_substring": lambda text: sequences.longest_common_substring(text, text[::-1]),
}


@pytest.mark.parametrize("name", READERS)
def test_readers_of_texts(name: str) -> None:
    slow = {kind: ratio for kind, text in TEXTS.items() if (ratio := growth(READERS[name], text, 4 * SIZE)) > MOST}
    assert slow == {}


NOTICE = "<blockquote><p><strong>Possible Duplicate</strong></blockquote>"


@pytest.mark.parametrize("opening", [
    "<div>", "<ol><li>a", "<ul><li>", "<blockquote>", "<pre><code>", "<table><tr><td>", "<b></p>", "<i></b>",
    "<dl><dd>", "<div><!--</div>-->", "<div title='</div>'>", "<div><svg><![CDATA[></svg></div>]]>", "<div>\n",
    "<title><!--</title><div>", "<form><div></form>", "<tr><div></tr>", "<table><div><tr></div>", "<p><font size={}>x",
    "<div><a href={}>", "<a b='", "<script>", "<!--", "<![CDATA[", "</", "<p =\">\">", NOTICE,
])  # fmt: skip
def test_markup(opening: str) -> None:
    def body(number: int) -> str:
        return "".join(opening.replace("{}", str(element)) for element in range(number))

    assert growth(parse_body, body, 10 * SIZE) <= MOST
