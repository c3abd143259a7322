"""The values of texts, by the compiled columns and after the parser, in every column."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.corpora.stackexchange.scanner import Scanner
from cqa_spark.corpora.stackexchange.tables import BY_FILE, DUMP_TABLES, DumpTable
from cqa_spark.corpora.stackexchange.typed_columns import RowColumns
from cqa_spark.corpora.stackexchange.values import Unfit, Value, ValueKind, value

TIMES = {
    "2021-03-04T05:06:07.089": "2021-03-04 05:06:07.089000",
    "2021-03-04T05:06:07.0891234": "2021-03-04 05:06:07.089123",
    "2021-03-04T05:06:07.1": "2021-03-04 05:06:07.100000",
    "2021-03-04T05:06:07": "2021-03-04 05:06:07",
    "2021-03-04T05:06:07Z": "2021-03-04 05:06:07",
    "2021-03-04T05:06:07+05:30": "2021-03-03 23:36:07",
    "2021-03-04T05:06:07-18:00": "2021-03-04 23:06:07",
    "2021-03-04 05:06": "2021-03-04 05:06:00",
    "2021-03-04": "2021-03-04 00:00:00",
    "2020-02-29": "2020-02-29 00:00:00",
    "2000-02-29T23:59:59.999": "2000-02-29 23:59:59.999000",
    "1970-01-01T00:00:00": "1970-01-01 00:00:00",
    "2199-12-31T23:59:59.999999": "2199-12-31 23:59:59.999999",
}
NO_TIMES = (
    " ", "2021", "2021-03", "2021-3-4", "2021-03-", "now", "05:06:07", "T05:06:07", "1614834367", " 2021-03-04",
    "2021-02-31T00:00:00", "2021-02-29", "2100-02-29", "2021-13-01", "2021-00-01", "2021-01-00", "2021-03-04T24:00:00",
    "2016-12-31T23:59:60", "2021-03-04T05:60:00", "2021-03-04T05:06:07+99:00", "2021-03-04T", "2021-03-04T05:06:07.08x",
    "٢٠٢١-03-04", "2021/03/04T05:06:07", "2021-03-04X05:06:07",
    "0000-01-01T00:00:00", "0001-01-01T00:00:00", "-5000-01-01T00:00:00", "-500-01-01", "1582-10-10", "1899-12-31",
    "1969-12-31T23:59:59.999", "1970-01-01T00:00:00+00:01", "2200-01-01T00:00:00", "9999-12-31T23:59:59.999",
    "10000-01-01T00:00:00", "+120000-01-01T00:00:00", "120000-01-01",
)  # fmt: skip
INTEGERS = {text: int(text) for text in ("0", "7", "-1", "2147483647", "-2147483648")}
NO_INTEGERS = ("2147483648", "-2147483649", "1.0", " 1", "1 ", "1e3", "x", "-", "-0", "01", "+1", "1\n", "٣", "1_0")
LONGS = {
    text: int(text) for text in ("2147483648", "999999999999999999", "9223372036854775807", "-9223372036854775808")
}
NO_LONGS = ("9223372036854775808", "-9223372036854775809", "10000000000000000000", "99999999999999999999999")
TRUTHS = {"True": True, "False": False, "true": True, "FALSE": False, "1": True, "0": False, " yes": True}
NO_TRUTHS = ("Tru", "2", "-", "nein")

GOOD: dict[ValueKind, dict[str, Value]] = {
    ValueKind.TIME: {text: datetime.fromisoformat(moment).replace(tzinfo=UTC) for text, moment in TIMES.items()},
    ValueKind.INTEGER: {**INTEGERS},
    ValueKind.LONG: {**INTEGERS, **LONGS},
    ValueKind.ID: {text: text for text in (*INTEGERS, *LONGS)},
    ValueKind.BOOLEAN: {**TRUTHS},
    ValueKind.TEXT: {text: text for text in ("", " ", "a", "<b>")},
    ValueKind.TAGS: {"": [], "<a><b-c>": ["a", "b-c"], "|a|b|": ["a", "b"], "a": ["a"], "<>||": [], "<é>": ["é"]},
}
BAD = {
    ValueKind.TIME: NO_TIMES,
    ValueKind.INTEGER: NO_INTEGERS,
    ValueKind.LONG: (*NO_LONGS, "x"),
    ValueKind.ID: (*NO_LONGS, *NO_INTEGERS[2:]),
    ValueKind.BOOLEAN: NO_TRUTHS,
}
FILLED = {"TagName": "a", "RevisionGUID": "a"}


def scanned(dump: DumpTable, attribute: str, text: str) -> tuple[bool, Value]:
    """Whether the compiled columns accept a text of an attribute, and what they make of it."""
    others = {name: FILLED.get(name, "1") for name in dump.required if name != attribute}
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "&#xA;")
    members = " ".join(f'{name}="{each}"' for name, each in {**others, attribute: escaped}.items())
    line = f"<row {members} />".encode()
    rows = RowColumns(dump, line, Scanner(list(dump.attributes)).scan(line, 0, len(line), 10))
    if not rows.fits.all() or not len(rows.fits):
        return False, None
    return True, rows.columns(rows.fits)[dump.attributes[attribute]][0].as_py()


def attributes_of(kind: ValueKind) -> list[tuple[DumpTable, str]]:
    return [
        (dump, name) for dump in DUMP_TABLES for name, column in dump.attributes.items() if dump.kinds[column] is kind
    ]


def test_the_kinds_of_columns() -> None:
    assert {dump.file: [name for name, column in dump.attributes.items() if dump.kinds[column] is ValueKind.TIME]
            for dump in DUMP_TABLES} == {
        "Posts": ["CreationDate", "DeletionDate", "LastEditDate", "LastActivityDate", "ClosedDate",
                  "CommunityOwnedDate"],
        "Users": ["CreationDate", "LastAccessDate"],
        "Comments": ["CreationDate"],
        "Votes": ["CreationDate"],
        "Badges": ["Date"],
        "Tags": [],
        "PostLinks": ["CreationDate"],
        "PostHistory": ["CreationDate"],
    }  # fmt: skip
    kinds = BY_FILE["posts"].kinds
    assert {kinds[name] for name in ("post_id", "parent_id", "user_id", "accepted_answer_id")} == {ValueKind.ID}
    assert (kinds["score"], kinds["view_count"], kinds["tags"]) == (ValueKind.INTEGER, ValueKind.LONG, ValueKind.TAGS)
    assert BY_FILE["badges"].kinds["is_tag_based"] is ValueKind.BOOLEAN


@pytest.mark.parametrize("kind", ValueKind)
def test_values(kind: ValueKind) -> None:
    for text, expected in GOOD[kind].items():
        assert value(text, kind) == expected
        for dump, attribute in attributes_of(kind):
            is_read, read = scanned(dump, attribute, text)
            assert not is_read or read == expected, (dump.file, attribute, text)


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_value(kind: ValueKind) -> None:
    for text in BAD[kind]:
        with pytest.raises(Unfit):
            value(text, kind)
        for dump, attribute in attributes_of(kind):
            assert scanned(dump, attribute, text) == (False, None), (dump.file, attribute, text)


@pytest.mark.parametrize("kind", [ValueKind.TIME, ValueKind.INTEGER, ValueKind.LONG, ValueKind.ID, ValueKind.BOOLEAN])
def test_an_empty_value_is_none(kind: ValueKind) -> None:
    assert value("", kind) is None
    for dump, attribute in attributes_of(kind):
        assert scanned(dump, attribute, "") == (attribute not in dump.required, None)


def test_what_dumps_write_needs_no_parser() -> None:
    texts = {
        "CreationDate": "2021-03-04T05:06:07.089",
        "Score": "-12",
        "ViewCount": "999999999999999999",
        "Tags": "<a>",
    }
    assert all(scanned(BY_FILE["posts"], attribute, text)[0] for attribute, text in texts.items())
    assert [scanned(BY_FILE["badges"], "TagBased", text) for text in ("True", "False")] == [(True, True), (True, False)]


@given(st.datetimes(datetime(1970, 1, 1), datetime(2199, 12, 31, 23, 59, 59, 999999)), st.integers(0, 6))
def test_any_time(moment: datetime, decimals: int) -> None:
    micro = moment.microsecond // 10 ** (6 - decimals) * 10 ** (6 - decimals)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{moment.microsecond:06}"[: decimals + 1] * (decimals > 0)
    expected = moment.replace(microsecond=micro, tzinfo=UTC)
    assert scanned(BY_FILE["votes"], "CreationDate", text) == (True, expected)
    assert value(text, ValueKind.TIME) == expected
