"""Parts of a site, and what they are read into."""

from __future__ import annotations

import numpy as np
import pytest
from literal_questions import question, table

from cqa_spark.findings.question_index import read_questions


@pytest.mark.parametrize("part", [1, 2, 3])
def test_terms_are_those_of_all_parts(part: int) -> None:
    rows = [question("5", "dark ale", 2), question("2", "pour pour an ale", 0), question("7", "2016 stout", 3)]
    questions = read_questions(table(*rows, part=part))
    assert (questions.ids, questions.series) == (["2", "5", "7"], [None, None, "0 stout"])
    texts = questions.texts
    assert texts.lengths.tolist() == [4, 2, 2]
    assert texts.total_length.tolist() == [0, 4, 6]
    by_text = np.split(texts.term_counts, texts.text_starts[1:-1])
    assert [counts.tolist() for counts in by_text] == [[1, 1, 2], [1, 1], [1, 1]]
    # Of all terms, only "ale" occurs in two texts: the second term of the first text, and the first of the second.
    ale = texts.terms[0]
    assert np.split(texts.rows, texts.starts[1:-1])[ale].tolist() == [0, 1]
    assert sorted(np.diff(texts.starts).tolist()) == [1, 1, 1, 1, 1, 2]


def test_a_site_without_terms_has_empty_texts() -> None:
    questions = read_questions(table(question("1", "?", 0), question("2", None, 1)))
    assert questions.texts.lengths.tolist() == questions.titles.lengths.tolist() == [0, 0]


def test_links_to_posts_that_are_gone_are_ignored() -> None:
    questions = read_questions(table(question("1", "a", 0, links={"99": 3, "1": 3}), question("2", "a", 1)))
    assert len(questions.links.made) == 0


def test_vectors_are_halves_of_what_is_stored() -> None:
    stored = np.array([[1, 0], [0.5, 2]], np.float16).tobytes()
    questions = read_questions(table(question("1", "a", 0, vectors=stored), question("2", "b", 1)))
    assert questions.title_vectors is not None
    assert questions.vectors is not None
    assert questions.title_vectors.tolist() == [[1, 0], [0, 0]]
    assert questions.vectors.tolist() == [[0.5, 2], [0, 0]]
