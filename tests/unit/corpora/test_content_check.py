import pytest
from refusals import refusal

from cqa_spark.corpora.content_check import refuse_foreign_content
from cqa_spark.errors import InputError

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 30281\n"
SERVER = "download the file again; a browser shows what the server says"


@pytest.mark.parametrize(
    ("head", "problem", "remedy"),
    [
        (LFS, "is a Git LFS pointer, not the file itself", "run git lfs pull in its repository"),
        (b"\xef\xbb\xbf" + LFS, "is a Git LFS pointer, not the file itself", "run git lfs pull in its repository"),
        (b"/annex/objects/SHA256E-s9--0.xml\n", "is a git-annex pointer, not the file itself",
         "run git annex get in its repository"),
        (b"<!DOCTYPE html>\n<html>", "is an HTML page", SERVER),
        (b"\n<html lang='en'>", "is an HTML page", SERVER),
        (b"<?xml version='1.0'?>\n<!-- a -->\n<!doctype HTML PUBLIC 'a'>", "is an HTML page", SERVER),
        (b"<?xml version='1.0'?>\n<Error><Code>NoSuchKey</Code><Message>a\n b</Message></Error>",
         "is an error message of an object store: <?xml version='1.0'?> <Error><Code>NoSuchKey</Code><Message>a b"
         "</Message></Error>", "check the address and your access"),
        (b' {"message": "Not\n Found"}', 'is JSON, perhaps an error message: {"message": "Not Found"}', SERVER),
        (b"\x1f\x8b\x08", "is compressed by gzip", "let its name end in .xml.gz"),
    ],
)  # fmt: skip
def test_a_file_is_called_what_it_is(head: bytes, problem: str, remedy: str) -> None:
    with pytest.raises(InputError) as refused:
        refuse_foreign_content(head, "Posts.xml")
    assert (refused.value.problem, refused.value.remedy) == (f"Posts.xml {problem}", remedy)


@pytest.mark.parametrize(
    "head", [b"", b"<posts>", b"<!-- <html> -->\n<posts>", b"<?xml?><posts/>", b"<header />", b"a"]
)
def test_what_may_be_a_dump_is_not_refused(head: bytes) -> None:
    assert refusal(refuse_foreign_content, head, "Posts.xml") is None


def test_a_file_that_is_what_its_name_says_is_not_refused() -> None:
    assert refusal(refuse_foreign_content, b"\x1f\x8b\x08", "folder/Posts.XML.gz") is None
    assert refusal(refuse_foreign_content, b"7z\xbc\xaf\x27\x1c", "site.7z") is None
