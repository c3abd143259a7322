"""Links, addresses, numbers and names that query and candidate have in common, and how long they are."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, feature_values
from cqa_spark.features.groups.thread.unit_overlap import share
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.pair_texts import pair_texts
from cqa_spark.text.cleaning import EMAIL, IN_ADDRESS, WEB_ADDRESS

_SOURCE = "Nakov et al. 2016, SemEval-2016 Task 3, section 5"
_LENGTHS = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"


def _found(text: str, pattern: str) -> str:
    """SQL of all matches of a pattern, in lower case, each once."""
    return f"array_distinct(regexp_extract_all(lower({text}), r'{pattern}', 0))"


def _without(things: str, pattern: str) -> str:
    """SQL of the same things without what matches a pattern, each once."""
    return f"array_distinct(transform({things}, thing -> regexp_replace(thing, r'{pattern}', '')))"


# A capital that begins no sentence: it follows a word or a comma.
_CAPITALISED = r"(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{N}]+"
_MARK = "[/.,;:!?]"

_THINGS = {
    "urls": (
        "web addresses, without http:// and www.",
        _without(_found("raw", rf"{WEB_ADDRESS}{IN_ADDRESS}++"), rf"^(?:https?://)?(?:www\.)?|(?<!{_MARK}){_MARK}++$"),
    ),
    "emails": ("e-mail addresses", _found("raw", EMAIL)),
    "numbers": (
        "numbers, without what separates their digits",
        _without(_found("clean", r"\d++(?:[.,;]\d++)*+"), r"[.,;]"),
    ),
    "names": (
        "capitalised words that begin no sentence",
        f"array_distinct(transform(regexp_extract_all(clean, r'{_CAPITALISED}', 0), name -> lower(name)))",
    ),
}
"""What texts hold, by name: what it is, and how it follows from the table ``texts``."""


def _measures(thing: str) -> dict[FeatureColumn, str]:
    """The features of one kind of things, each with its SQL over the pair's texts."""
    about = _THINGS[thing][0]
    asked, said = f"size(query.{thing})", f"size(candidate.{thing})"
    shared = f"size(array_intersect(query.{thing}, candidate.{thing}))"
    return {
        FeatureColumn(f"{thing}_shared", f"ln(1 + {about} that both have)", _SOURCE): f"ln(1 + {shared})",
        FeatureColumn(f"{thing}_answered", f"share of the query's {about} that the candidate has too", _SOURCE): share(
            shared, asked
        ),
        FeatureColumn(
            f"{thing}_new", f"ln(1 + {about} of the candidate that the query lacks)", "ours"
        ): f"ln(1 + {said} - {shared})",
    }


def _ratio(of: str) -> str:
    return f"ln(1 + candidate.{of}) - ln(1 + query.{of})"


_MENTIONED = "size(array_intersect(query.names, candidate.words))"

_FEATURES = {
    **{feature: sql for thing in _THINGS for feature, sql in _measures(thing).items()},
    FeatureColumn(
        "names_mentioned",
        "share of the query's names that are among the candidate's words, whatever their case",
        "ours",
    ): share(_MENTIONED, "size(query.names)"),
    FeatureColumn(
        "chars_ratio", "ln(1 + characters of the candidate) - ln(1 + characters of the query)", _LENGTHS
    ): _ratio("chars"),
    FeatureColumn("words_ratio", "ln(1 + words of the candidate) - ln(1 + words of the query)", _LENGTHS): _ratio(
        "length"
    ),
    FeatureColumn(
        "sentences_ratio", "ln(1 + sentences of the candidate) - ln(1 + sentences of the query)", _LENGTHS
    ): _ratio("sentences"),
}


class SharedThingsV1(FeatureGroup):
    """Things that cleaning takes out of a text or that a bag of words does not tell from other words."""

    name: ClassVar[str] = "shared_things_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = (
        "links, addresses, numbers and names in common with the query, and lengths beside the query's"
    )
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the texts of each pair; a pair of which a text is not known is left out."""
        pairs = pair_texts(self.entities(inputs.examples), inputs, _things, ("query", "candidate"))
        known = pairs.where("query is not null and candidate is not null")
        return known.select(*self.entity.key, *feature_values(_FEATURES))


def _things(texts: DataFrame) -> DataFrame:
    things = [F.expr(sql).alias(thing) for thing, (_, sql) in _THINGS.items()]
    lengths = ["length(clean) AS chars", "size(words) AS length", "size(sentences) AS sentences"]
    return texts.select("text_id", "words", *things, *map(F.expr, lengths))
