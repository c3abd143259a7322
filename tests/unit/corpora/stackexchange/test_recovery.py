"""What a parser makes of records; ``damage.py`` has a table of damages, of which the kinds are not repeated here."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cqa_spark.corpora.stackexchange.recovery import (
    DOCUMENT_TYPE,
    MOST_ATTRIBUTES,
    OUTSIDE,
    NotEnoughText,
    Outcome,
    Records,
    parse,
    recover,
)


def one(raw: bytes, root: str = "posts") -> Outcome:
    return parse(raw, root)


def outcomes_of(text: bytes, separator: bytes = b"\n", base: int = 0) -> list[Outcome]:
    """The outcomes of all records of a file."""
    records, outcomes, position = Records(text, separator, True, "posts", base), [], 0
    while position < len(text):
        found, position = recover(records, position)
        outcomes += found
    return outcomes


def recovered(*lines: bytes) -> list[tuple[int, dict[str, str] | None, bool]]:
    """For each outcome: how many records it took, its attributes, whether it has a problem."""
    outcomes = outcomes_of(b"\n".join(lines) + b"\n")
    return [(outcome.records, outcome.attributes, outcome.problem is not None) for outcome in outcomes]


@pytest.mark.parametrize(
    ("raw", "attributes"),
    [
        (b'<row Body="&lt;p&gt; &amp;lt; &quot; &apos; &#xA;&#10;&#x9;" />', {"Body": "<p> &lt; \" ' \n\n\t"}),
        (b'<row Id="1" Body="a\tb\r\nc\nd" />', {"Id": "1", "Body": "a b c d"}),
        ('<row Id="1" Body="\U0001f37a &#x1F37A;" />'.encode(), {"Id": "1", "Body": "\U0001f37a \U0001f37a"}),
        (b'<row Id="1" /></posts>', {"Id": "1"}),
        (b'<posts><row Id="1" />', {"Id": "1"}),
        (b'<?xml version="1.0"?><posts site="beer">  <row Id="1" /> </posts>  ', {"Id": "1"}),
        (b'<!-- what follows --><row Id="1" /><!-- what went before -->', {"Id": "1"}),
        (b'<!DOCTYPE a []><row Id="1" /></posts> <?a?><!-- <posts> -->', {"Id": "1"}),
        (b"<row />", {}),
    ],
)  # fmt: skip
def test_rows(raw: bytes, attributes: dict[str, str]) -> None:
    assert one(raw) == Outcome(0, 1, raw, attributes)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"  \t \r",
        b'<?xml version="1.0" encoding="utf-8"?>',
        b"<posts>",
        b'<posts site="beer">',
        b"</posts >",
        b"<POSTS />",
        b'<!-- <row Id="1" /> --> <!-- another -->',
        b"<!DOCTYPE posts [\n<!ENTITY a 'aaa'>\n<!ELEMENT row EMPTY>\n]  >",
        b"<?xml-stylesheet href='rows.xsl'?><?a <row /> >?>",
        b"</posts><!-- a --> <!--b--> <?c?>",
        b"<!-- \xff -->",
        b'<?xml version="1.0"?><!DOCTYPE posts [<!ENTITY a "aaa">]><posts>',
    ],
)
def test_what_is_between_rows(raw: bytes) -> None:
    assert one(raw) == Outcome(0, 1, raw)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b" />", OUTSIDE),
        (b"<users>", "Premature end of data in tag users line 1, column 8"),
        (b'<row Id="1" Body="a & b" />', "xmlParseEntityRef: no name, column 22"),
        (b"<!DOCTYPE a [" * 20_000, "a document type does not end"),
        (b'<row Id="1" /> <!DOCTYPE a [', DOCUMENT_TYPE),
        (b"<!-- a -- <row />", "a comment does not end"),
        (b"<!-- a <!-- b -->", "a comment does not end before <!--"),
        (b'<row Id="1" /> <!-- a', "Comment not terminated, column 22"),
        (b"<?a <row /> >", "a processing instruction does not end"),
        (b"<!DOCTYPE posts [", "a document type does not end"),
    ],
)
def test_what_is_refused(raw: bytes, problem: str) -> None:
    assert one(raw) == Outcome(0, 1, raw, problem=problem)


def test_bytes_that_are_no_text_are_shown() -> None:
    assert one(b'<row Id="\xff\xe9" />').text == r'<row Id="\xff\xe9" />'


@pytest.mark.parametrize("code", [*range(0x9), 0xB, 0xC, *range(0xE, 0x20)])
def test_control_characters_come_out_as_they_are(code: int) -> None:
    raw = f'<row Id="1" Body="a{chr(code)}b&#x{code:x};c&#{code};" />'.encode()
    assert one(raw).attributes == {"Id": "1", "Body": f"a{chr(code)}b{chr(code)}c{chr(code)}"}


def test_characters_that_stand_for_others_within_the_reader_may_be_in_a_text() -> None:
    assert one('<row Body="\U0010f005" />'.encode()).attributes == {"Body": "\U0010f005"}
    assert one(b'<row Body="&#x10F005;" />').attributes == {"Body": "\U0010f005"}
    assert one('<row Body="\U0010f005 \x05" />'.encode()).attributes == {"Body": "\U0010f005 \x05"}
    assert one('<row Body="\U00100005&#x10001F; \x05&#5;" />'.encode()).attributes == {
        "Body": "\U00100005\U0010001f \x05\x05"
    }


def test_a_value_of_many_blanks_takes_no_time() -> None:
    assert one(b"<row Id='1' Body=\"" + b" " * 10**6 + b'." />').attributes is not None


def test_a_value_of_40_mb() -> None:
    outcome = one(b'<row Body="' + b"x" * (40 << 20) + b'" />')
    assert outcome.attributes == {"Body": "x" * (40 << 20)}


@pytest.mark.parametrize("value", ["'1'", '"1"', """'="' """, "'<>' ", '"1" >' + "x" * 10])
def test_the_number_of_attributes_is_bounded(value: str) -> None:
    attributes = " ".join(f"a{number}={value}" for number in range(100_000))
    problem = one(f"<row {attributes} />".encode()).problem or ""
    assert problem == f"the row has more than {MOST_ATTRIBUTES:,} attributes"


def test_what_looks_like_attributes_in_a_value_is_none() -> None:
    text = " a='1' b =\t'2'" * MOST_ATTRIBUTES
    assert one(f'<row Body="{text}\t" />'.encode()).attributes == {"Body": text.replace("\t", " ") + " "}


@pytest.mark.parametrize("piece", [b"a", b" a", b" a=", b' a="', b" a='", b" a =", b"=", b" a=\"' b", b"' \""])
def test_many_attributes_that_are_none_take_no_time(piece: bytes) -> None:
    assert one(b"<row " + piece * 200_000 + b" />").attributes is None


def test_a_joined_row_stands_where_its_first_line_does() -> None:
    text = b'<row Id="1"\n/>'
    assert outcomes_of(text, base=70) == [Outcome(70, 2, text, {"Id": "1"})]


def test_the_lines_of_a_damaged_row_are_joined_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []

    def counted(raw: bytes, root: str, offset: int = 0, records: int = 1) -> Outcome:
        parsed.append(records)
        return parse(raw, root, offset, records)

    monkeypatch.setattr("cqa_spark.corpora.stackexchange.recovery.parse", counted)
    assert len(recovered(b'<row Id="1" Id="2"', *[b'a="" b="" >'] * 100)) == 101
    assert [count for count in parsed if count > 1] == [2, 3]


def test_a_cut_row_before_many_lines_takes_no_time() -> None:
    lines = [b'<row Id="1" Body="a', *[b"lost"] * 20_000]
    assert len(recovered(*lines)) == 20_001


ROW_2 = b'<row Id="2" />'


@pytest.mark.parametrize(
    ("lines", "outcomes"),
    [
        ([b"<!--", b'<row Id="1" />', b"&nbsp; --", b"-->", ROW_2], [(4, None, False), (1, {"Id": "2"}, False)]),
        ([b"<posts> <!-- a", b"b --> <?c", b"d?>", ROW_2],
         [(1, None, False), (2, None, False), (1, {"Id": "2"}, False)]),
        ([b'<row Id="1" /> <!-- a', b"b", b"-->" + ROW_2],
         [(1, {"Id": "1"}, False), (1, None, False), (1, {"Id": "2"}, False)]),
        ([b'<row Id="1" /> <!-- a', b"--> <!-- c", b"-->" + ROW_2 + b"</posts>"],
         [(1, {"Id": "1"}, False), (0, None, False), (1, None, False), (1, {"Id": "2"}, False)]),
        ([b'<row Id="1" /> <!-- a', b"-->" + ROW_2],
         [(1, {"Id": "1"}, False), (0, None, False), (1, {"Id": "2"}, False)]),
        ([b'<row Id="1"', b"/> <!-- a", b"-->", ROW_2], [(3, {"Id": "1"}, False), (1, {"Id": "2"}, False)]),
        # Markup that does not end is damage, which costs its first line, or what is left of it after other markup.
        ([b"<!-- a", b"--> <!-- b", ROW_2], [(1, None, False), (1, None, True), (1, {"Id": "2"}, False)]),
        ([b"<!-- a", b'<row Id="1" />', ROW_2], [(1, None, True), (1, {"Id": "1"}, False), (1, {"Id": "2"}, False)]),
        ([b"<!-- a", ROW_2, b"<!-- b", b"-->"], [(1, None, True), (1, {"Id": "2"}, False), (2, None, False)]),
        ([ROW_2 + b" <!-- a", b'<row Id="1" />'], [(1, None, True), (1, {"Id": "1"}, False)]),
        ([b"<!DOCTYPE posts", b"  [<!ENTITY a 'b'>", b"]", b"  >"], [(1, None, True)] * 4),
    ],
)  # fmt: skip
def test_markup_over_several_lines(lines: list[bytes], outcomes: list[tuple[int, dict[str, str] | None, bool]]) -> None:
    assert recovered(*lines) == outcomes


def test_the_pieces_of_a_line_stand_where_they_do() -> None:
    outcomes = outcomes_of(b"<posts>" + ROW_2 + b" <!--\n -->  " + ROW_2, base=70)
    pieces = [(outcome.offset, outcome.raw) for outcome in outcomes]
    assert pieces == [(70, b"<posts>" + ROW_2), (91, b" <!--\n -->"), (101, b"  " + ROW_2)]


def test_much_markup_that_does_not_end_takes_no_time() -> None:
    lines = [b"<!-- a", *[b"<? b", b"c <!-- d"] * 10_000]
    assert len(recovered(*lines)) == 20_001


def test_markup_of_any_length_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cqa_spark.corpora.stackexchange.recovery.LONGEST", 20)
    assert recovered(b"<!--", b"1234567890", b"-->") == [(3, None, False)]
    assert recovered(b"<!--", b"1234567890", b"12345", b"-->") == [(1, None, True)] * 4
    assert recovered(b'<row Id="1"', b'Body="34567890"', b"/>") == [(1, None, True)] * 3


PIECES = st.sampled_from([b'<row Id="1"', b'<row Id="2" />', b"/>", b'Body="a', b'b"', b"", b"</posts>", b"<posts>",
                          b"text", b"<!-- c -->", b"<!--", b"-->", b"<?", b"?> ", b"<p>", b"</row>", b'<row Id="3">',
                          b"\xff", b"\x00"])  # fmt: skip


@given(st.lists(PIECES))
def test_every_line_is_in_one_outcome(lines: list[bytes]) -> None:
    text = b"".join(line + b"\n" for line in lines)
    outcomes = outcomes_of(text)
    assert sum(outcome.records for outcome in outcomes) == len(lines)
    # The outcomes follow each other, with nothing but line ends between them.
    ends = [0, *[outcome.offset + len(outcome.raw) for outcome in outcomes]]
    starts = [*[outcome.offset for outcome in outcomes], len(text)]
    assert all(text[end:start] in (b"", b"\n") for end, start in zip(ends, starts, strict=True))
    assert not any(outcome.problem for outcome in outcomes if outcome.records > 1)


@given(st.lists(PIECES), st.data())
def test_the_start_of_a_file_is_read_like_the_file(lines: list[bytes], data: st.DataObject) -> None:
    """What is read from a part of a file is what is read from all of it, or more text is asked for."""
    text = b"".join(line + b"\n" for line in lines)
    part = Records(text[: data.draw(st.integers(0, len(text)))], b"\n", False, "posts")
    position, outcomes = 0, list[Outcome]()
    while position < len(part.text):
        try:
            found, position = recover(part, position)
        except NotEnoughText:
            break
        outcomes += found
    assert outcomes == outcomes_of(text)[: len(outcomes)]


NAME = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,9}", fullmatch=True).filter(lambda name: name != "xmlns")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff"), max_size=20)
ESCAPES = {"&": "&amp;", "<": "&lt;", '"': "&quot;", **{chr(code): f"&#x{code:X};" for code in range(0x20)}}


@given(st.dictionaries(NAME, TEXT, max_size=5))
@example({"A": "\x1f", "B": "\U00100000\U0010f000"})
def test_what_was_written_as_xml_comes_back(attributes: dict[str, str]) -> None:
    written = [f'{name}="{"".join(ESCAPES.get(each, each) for each in text)}"' for name, text in attributes.items()]
    assert one(f"<row {' '.join(written)} />".encode()).attributes == attributes


def test_control_characters_need_a_block_of_private_characters_that_the_row_does_not_use() -> None:
    private = "".join(map(chr, range(0x100000, 0x10FFE0)))
    assert one(f'<row A="{private}" />'.encode()).attributes == {"A": private}
    assert one(f'<row A="&#x1F;{private[0x20:]}" />'.encode()).attributes == {"A": "\x1f" + private[0x20:]}
    assert one(f'<row A="&#x1F;{private}" />'.encode()).problem is not None
