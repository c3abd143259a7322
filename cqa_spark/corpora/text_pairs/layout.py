"""The column layouts of files of pairs."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.corpora.text_pairs.scales import DUPLICATE, RELATEDNESS, SIMILARITY, Scale


@dataclass(frozen=True)
class ColumnLayout:
    """Columns that occur together.

    Attributes:
        name: the data set or task that introduced them.
        columns: their names; in files without a header, in the order of the columns.
        texts: the two columns of texts.
        label: the column of labels; None if there is none.
        scale: the labels.
        start: how the first line of a file without a header begins.
        notes: largest number of columns without names that may follow, such as sources and licences.
    """

    name: str
    columns: tuple[str, ...]
    texts: tuple[str, str]
    label: str | None = None
    scale: Scale = SIMILARITY
    start: str = ""
    notes: int = 0

    @property
    def about(self) -> str:
        """The columns, for messages."""
        return "<TAB>".join(self.columns)


SENTENCES = ("sentence1", "sentence2")
QUESTIONS = ("question1", "question2")

WITH_HEADER = (
    ColumnLayout(
        "STS Benchmark of GLUE",
        ("index", "genre", "filename", "year", "old_index", "source1", "source2", *SENTENCES, "score"),
        SENTENCES,
        "score",
        SIMILARITY,
    ),
    ColumnLayout(
        "SICK",
        (
            "pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment", "entailment_label",
            "entailment_AB", "entailment_BA", "sentence_A_original", "sentence_B_original", "sentence_A_dataset",
            "sentence_B_dataset", "SemEval_set",
        ),
        ("sentence_A", "sentence_B"),
        "relatedness_score",
        RELATEDNESS,
    ),
    ColumnLayout(
        "MSRP",
        ("Quality", "index", "#1 ID", "#2 ID", "#1 String", "#2 String"),
        ("#1 String", "#2 String"),
        "Quality",
        DUPLICATE,
    ),
    ColumnLayout(
        "Quora",
        ("id", "test_id", "qid1", "qid2", *QUESTIONS, "is_duplicate"),
        QUESTIONS,
        "is_duplicate",
        DUPLICATE,
    ),
    ColumnLayout("PAWS", ("id", *SENTENCES, "label"), SENTENCES, "label", DUPLICATE),
)  # fmt: skip
"""Layouts whose first line names the columns, in any order. All but the texts may be absent."""

SENTENCES_WITHOUT_HEADER = (
    ColumnLayout(
        "STS Benchmark",
        ("genre", "file", "year", "id", "score", "sentence", "sentence"),
        SENTENCES,
        "score",
        start="main-",
        notes=2,
    ),
    ColumnLayout("scored sentences", ("score", "sentence", "sentence"), SENTENCES, "score"),
    ColumnLayout("STS input", ("sentence", "sentence"), SENTENCES, notes=2),
)
"""Files of the STS tasks: without a header, their texts at the end."""

QUESTIONS_WITHOUT_HEADER = (
    ColumnLayout("labelled questions", ("label", "question", "question"), QUESTIONS, "label", DUPLICATE),
    ColumnLayout("questions", ("question", "question"), QUESTIONS, scale=DUPLICATE),
)
"""Pairs of questions, as Bogdanova et al. (2015) used them."""
