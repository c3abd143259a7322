"""Attributes of other names are refused before they become columns of nulls."""

from pathlib import Path

import pytest
from refusals import refusal

from cqa_spark.corpora.stackexchange.dump_files import DumpFile, find_dump_files
from cqa_spark.corpora.stackexchange.probe import HEAD_BYTES, refuse_renamed_attributes
from cqa_spark.corpora.stackexchange.tables import BY_FILE
from cqa_spark.errors import InputError

POSTS = DumpFile("Posts.xml", "beer", BY_FILE["posts"], "beer")


def test_renamed_attributes_are_named_with_the_declared_ones() -> None:
    head = b'<posts>\n<row Id="1" PostTypeId="1" Created="2018-01-01" Text="a" />\n<row Id="2" PostTypeId="1" Te'
    with pytest.raises(InputError) as refused:
        refuse_renamed_attributes(POSTS, head)
    first, expected, seen = refused.value.problem.splitlines()
    assert first == "Posts.xml: the first 2 rows have no CreationDate and no Body"
    assert expected.startswith("    expected: Id, PostTypeId, AcceptedAnswerId, ")
    assert seen == "    seen: Id, PostTypeId, Created, Text"


@pytest.mark.parametrize(
    "head",
    [
        b"<posts>\n</posts>",
        b'<posts>\n<row Id="1" PostTypeId="1" />',
        b'<posts>\n<row Id="1" CreationDate="2018-01-01" Body="&lt;a Text=&quot;" New="1" />',
        b'<posts>\n<row Id="1" New="1" />\n<row Id="2" CreationDate=\'2018-01-01\' Body="b" />',
    ],
)
def test_rows_with_a_text_and_a_time_and_rows_without_other_names_are_read(head: bytes) -> None:
    assert refusal(refuse_renamed_attributes, POSTS, head) is None


def test_no_real_dump_is_refused(cqa_data: Path) -> None:
    files = find_dump_files(sorted({str(posts.parent) for posts in (cqa_data / "stackexchange").rglob("[Pp]osts.xml")}))
    assert len(files) > 100
    for file in files:
        with Path(file.path).open("rb") as stream:
            assert refusal(refuse_renamed_attributes, file, stream.read(HEAD_BYTES)) is None
