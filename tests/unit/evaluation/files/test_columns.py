"""Files in columns: the rows that reading line by line gives, whatever the blanks and wherever pieces end."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.errors import InputError
from cqa_spark.evaluation.files import columns as column_reading
from cqa_spark.evaluation.files.columns import numbers, read_columns, read_lines
from cqa_spark.evaluation.files.pairs import match, pairs_of_mapping
from cqa_spark.evaluation.files.trec import read_run

LAYOUT = "query document rank"

lines = st.tuples(
    st.sampled_from(["", "", "# ", " ", "\t"]), st.sampled_from([" ", "\t", "  ", "\v", "\u00a0"]),
    st.sampled_from(["\n", "\r\n", "\r", "\n\n", " \n"]),
)  # fmt: skip


@given(st.lists(lines, min_size=1, max_size=12), st.integers(1, 40))
def test_columns_are_those_of_lines(tmp_path_factory, written: list[tuple[str, str, str]], piece: int) -> None:
    path = tmp_path_factory.mktemp("columns") / "file"
    rows = [f"{before}q{row}{between}d{row} {row}{end}" for row, (before, between, end) in enumerate(written)]
    path.write_bytes("".join(["q d 1\n", *rows]).encode())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(column_reading, "_BLOCK", piece)
        patched.setattr(column_reading, "_ROWS", 3)
        assert outcome(lambda: [row for each in columns(path) for row in each]) == outcome(
            lambda: [tuple(line.fields) for line in read_lines(path, LAYOUT, comments=True)]
        )


def columns(path: Path):
    rows = 0
    for each in read_columns(path, LAYOUT, comments=True):
        assert (each.layout, each.first) == (LAYOUT, rows)
        rows += len(each.fields[0])
        yield zip(*(field.to_pylist() for field in each.fields), strict=True)


def outcome(read) -> object:
    try:
        return read()
    except InputError as error:
        return str(error)


def test_the_first_of_several_bad_lines_is_named(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 a 1 1.0 x\nq Q0 b 1 high x\nq Q0 c\n")
    with pytest.raises(InputError, match="run:2: score 'high' is not a finite number"):
        read_run(tmp_path / "run")


def test_numbers_are_those_of_python(tmp_path: Path) -> None:
    texts = ["1", "-.5", "2.", "+3e2", "0.1", "1e-400", "1e999", "nan", "1_0", "0x1", "\u0663"]
    (tmp_path / "file").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    [each] = read_columns(tmp_path / "file", "number")
    assert [str(value) for value in numbers(each.fields[0]).tolist()] == [
        "1.0", "-0.5", "2.0", "300.0", "0.1", "0.0", "nan", "nan", "nan", "nan", "nan",
    ]  # fmt: skip


def test_pairs_are_found_in_each_other() -> None:
    judged = pairs_of_mapping({"a": {"b": 1, "c": 0}, "b": {"a": 2}, "none": {}})
    matches = match(judged, pairs_of_mapping({"b": {"a": 0.5, "b": 0.25}, "new": {"b": 1}, "a": {"c": 3}}))
    assert matches.query.tolist() == [1, 1, -1, 0]
    assert matches.judged.tolist() == [2, -1, -1, 1]
    assert matches.missed.tolist() == [0]
    assert judged.queries.to_pylist() == ["a", "b", "none"]
