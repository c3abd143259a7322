"""What may be wrong with a dump, and what becomes of it: a table for people as much as for the tests.

``LINES``: kinds of damage to some lines of a file that is sound otherwise. All of them stand in one file, each between
two good rows. ``FILES``: what concerns a whole file.
"""

import bz2
import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field

BOM = b"\xef\xbb\xbf"
HEAD = b'<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'
FOOT = b"</posts>\n"


@dataclass(frozen=True)
class Damage:
    """Some lines, and what becomes of them.

    Attributes:
        kind: what is wrong.
        lines: the bytes, without the last line end; ``@1`` to ``@9`` stand for ids that no other kind uses.
        rows: the rows that come out, by id; of each the values that matter here, by column.
        refused: what goes to quarantine, in order; each as the start of the reason.
        not_rows: lines that are neither.
        joined: lines that a row takes beyond its first.
    """

    kind: str
    lines: bytes
    rows: Mapping[int, Mapping[str, object]] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    not_rows: int = 0
    joined: int = 0


LINES = (
    # Rows that are cut or do not close
    Damage("a row cut in the middle", b'<row Id="@1" PostTypeId="1" Body="a', refused=("AttValue: ' expected",)),
    Damage("a row cut within its tag", b'<row Id="@1" PostType', refused=("Specification mandates value",)),
    Damage("a row whose start is lost", b'yId="@1" PostTypeId="1" />', refused=("there is text outside of any row",)),
    Damage("a row and its lost line end", b'<row Id="@1" PostTypeId="1" /><row Id="@2" PostTypeId="1" />',
           refused=("Extra content at the end of the document",)),
    Damage("a row over several lines", b'<row Id="@1"\n  PostTypeId="1"\n  Body="a\n\nb" />',
           rows={1: {"post_type_id": 1, "body": "a  b"}}, joined=4),
    Damage("a row over several lines without an end", b'<row Id="@1"\n  PostTypeId="1"\n  Body="a',
           refused=("attributes construct error", "there is text outside", "there is text outside")),
    Damage("a closing tag of its own", b'<row Id="@1" PostTypeId="1" Body="a"></row>', rows={1: {"body": "a"}}),
    Damage("a closing tag on the next line", b'<row Id="@1" PostTypeId="1">\n</row>', rows={1: {}}, joined=1),
    Damage("no closing tag", b'<row Id="@1" PostTypeId="1">', refused=("Premature end of data in tag row",)),
    # Characters
    Damage("NUL and control characters", b'<row Id="@1" PostTypeId="1" Body="a\x00b\x1fc" />',
           rows={1: {"body": "a\x00b\x1fc"}}),
    Damage("references to control characters", b'<row Id="@1" PostTypeId="1" Body="a&#x1F;b&#0;c&#x7;" />',
           rows={1: {"body": "a\x1fb\x00c\x07"}}),
    Damage("a line of NULs, as a crash leaves behind", b"\x00" * 50, refused=("there is text outside of any row",)),
    Damage("invalid UTF-8", b'<row Id="@1" PostTypeId="1" Body="caf\xe9" />',
           refused=("byte 40 of the row is not UTF-8",)),
    Damage("UTF-8 of half a character", b'<row Id="@1" PostTypeId="1" Body="\xf0\x9f\x8d" />', refused=("byte 37 of",)),
    Damage("UTF-8 of a surrogate", b'<row Id="@1" PostTypeId="1" Body="\xed\xa0\x80" />', refused=("byte 37 of",)),
    Damage("the replacement character, which is valid", '<row Id="@1" PostTypeId="1" Body="a\ufffdb" />'.encode(),
           rows={1: {"body": "a\ufffdb"}}),
    Damage("a reference out of range", b'<row Id="@1" PostTypeId="1" Body="&#x110000;" />',
           refused=("xmlParseCharRef: character reference out of bounds",)),
    Damage("a reference to a surrogate", b'<row Id="@1" PostTypeId="1" Body="&#xD83C;&#xDF7A;" />',
           refused=("xmlParseCharRef: invalid xmlChar value 55356",)),
    Damage("an unknown entity", b'<row Id="@1" PostTypeId="1" Body="a&nbsp;b" />',
           refused=("Entity 'nbsp' not defined",)),
    Damage("a bare ampersand", b'<row Id="@1" PostTypeId="1" Body="R&D" />', refused=("EntityRef: expecting ';'",)),
    Damage("an ampersand escaped twice", b'<row Id="@1" PostTypeId="1" Body="&amp;lt; &amp;amp;quot; &amp;#xA;" />',
           rows={1: {"body": "&lt; &amp;quot; &#xA;"}}),
    Damage("all escapes",
           b'<row Id="@1" PostTypeId="1" Body="&lt;&gt;&quot;&apos;&amp;&#xA;&#xD;&#x9;&#65;&#x1f37A;" />',
           rows={1: {"body": "<>\"'&\n\r\tA\U0001f37a"}}),
    Damage("backslashes and what looks like JSON",
           rb'<row Id="@1" PostTypeId="1" Body="\n \\ \&quot; \u0041 {&quot;a&quot;:[1]}" />',
           rows={1: {"body": '\\n \\\\ \\" \\u0041 {"a":[1]}'}}),
    Damage("a tab, which XML takes for a blank", b'<row Id="@1" PostTypeId="1" Body="a\tb" />',
           rows={1: {"body": "a b"}}),
    Damage("a carriage return within a line", b'<row Id="@1" PostTypeId="1" Body="a\rb" />', rows={1: {"body": "a b"}}),
    Damage("CR LF", b'<row Id="@1" PostTypeId="1" Body="a" />\r', rows={1: {"body": "a"}}),
    # Attributes
    Damage("an attribute twice", b'<row Id="@1" PostTypeId="1" Score="1" Score="2" />',
           refused=("Attribute Score redefined",)),
    Damage("an unknown attribute twice", b'<row Id="@1" PostTypeId="1" New="1" New="2" />',
           refused=("Attribute New redefined",)),
    Damage("an unquoted value", b'<row Id=@1 PostTypeId="1" />', refused=("AttValue: \" or ' expected",)),
    Damage("a quote that is lost", b'<row Id="@1 PostTypeId="1" />', refused=("attributes construct error",)),
    Damage("a quote within a value", b'<row Id="@1" PostTypeId="1" Body="say "hi" now" />',
           refused=("attributes construct",)),
    Damage("a quote and a blank within a value", b'<row Id="@1" PostTypeId="1" Body="say" it" />',
           refused=("Specification mandates value for attribute it",)),
    Damage("no blank between attributes", b'<row Id="@1" PostTypeId="1"Score="1" />',
           refused=("attributes construct error",)),
    Damage("a brace after a value", b'<row Id="@1" PostTypeId="1"} Score="1" />',
           refused=("attributes construct error",)),
    Damage("a brace and one quote too many", b'<row Id="@1" PostTypeId="1"} lost" />',
           refused=("attributes construct error",)),
    Damage("single-quoted values", b"<row Id='@1' PostTypeId='1' Body='say \"hi\" to=\"all\" now' />",
           rows={1: {"body": 'say "hi" to="all" now'}}),
    Damage("a < in a value", b'<row Id="@1" PostTypeId="1" Body="a < b" />', refused=("Unescaped '<' not allowed",)),
    Damage("a > in a value, which is valid", b'<row Id="@1" PostTypeId="1" Body="a > b" />',
           rows={1: {"body": "a > b"}}),
    Damage("another order", b'<row Body="a" PostTypeId="1" Id="@1" />', rows={1: {"body": "a", "post_type_id": 1}}),
    Damage("extra blanks between attributes", b'  <row   Id="@1"  PostTypeId = "1"\tBody="a"  />  ',
           rows={1: {"body": "a"}}),
    Damage("no blank before the end", b'<row Id="@1" PostTypeId="1" Body="a"/>', rows={1: {"body": "a"}}),
    Damage("a value of blanks", b'<row Id="@1" PostTypeId="1" Body=" " Title="  " />',
           rows={1: {"body": " ", "subject": "  "}}),
    Damage("a value that starts with blanks", b'<row Id="@1" PostTypeId="1" Body="  a" />', rows={1: {"body": "  a"}}),
    Damage("an empty value", b'<row Id="@1" PostTypeId="1" Body="" Title="" Tags="" />',
           rows={1: {"body": "", "subject": "", "tags": []}}),
    Damage("a value that ends with =", b'<row Id="@1" PostTypeId="1" Body="a=" Title="=" />',
           rows={1: {"body": "a=", "subject": "="}}),
    Damage("a value like an attribute",
           b'<row Id="@1" PostTypeId="1" Body=" Id=&quot;7&quot; Score=" Title=" Id=7 " />',
           rows={1: {"body": ' Id="7" Score=', "subject": " Id=7 ", "score": None}}),
    Damage("unknown attributes", b'<row Id="@1" PostTypeId="1" New="a &amp; &quot;b&quot;" id="x" />',
           rows={1: {"unknown_attributes": {"New": 'a & "b"', "id": "x"}}}),
    Damage("unknown attributes of strange names",
           '<row Id="@1" PostTypeId="1" xml:space="a" größe="&apos;" />'.encode(),
           rows={1: {"unknown_attributes": {"{http://www.w3.org/XML/1998/namespace}space": "a", "größe": "'"}}}),
    Damage("a required attribute is missing", b'<row Id="@1" Body="a" />', refused=("PostTypeId is missing",)),
    Damage("the id is missing", b'<row PostTypeId="1" Body="@1" />', refused=("Id is missing",)),
    Damage("a row of another table",
           b'<row Id="@1" PostId="1" VoteTypeId="2" CreationDate="2018-03-12T00:00:00.000" />',
           refused=("PostTypeId is missing",)),
    # Values
    Damage("a day that does not exist", b'<row Id="@1" PostTypeId="1" CreationDate="2018-02-30T00:00:00.000" />',
           refused=("CreationDate is no time from 1970 to 2199: 2018-02-30T00:00:00.000",)),
    Damage("an hour that does not exist", b'<row Id="@1" PostTypeId="1" CreationDate="2018-02-03T24:00:00" />',
           refused=("CreationDate is no time from 1970 to 2199: 2018-02-03T24:00:00",)),
    Damage("a time without a day", b'<row Id="@1" PostTypeId="1" CreationDate="12:30:00" />',
           refused=("CreationDate is no time from 1970 to 2199: 12:30:00",)),
    Damage("values that are empty, as dumps write what is not stated",
           b'<row Id="@1" PostTypeId="1" Score="" ViewCount="" OwnerUserId="" ClosedDate="" />',
           rows={1: {"score": None, "view_count": None, "user_id": None, "closed_at": None}}),
    Damage("an empty value that is required", b'<row Id="@1" PostTypeId="" />\n<row Id="" PostTypeId="1" Body="@2" />',
           refused=("PostTypeId is missing", "Id is missing")),
    Damage("years of no forum",
           b'<row Id="@1" PostTypeId="1" CreationDate="0001-01-01T00:00:00" />\n'
           b'<row Id="@2" PostTypeId="1" LastEditDate="9999-12-31T23:59:59.997" />',
           refused=("CreationDate is no time from 1970 to 2199: 0001-01-01T00:00:00",
                    "LastEditDate is no time from 1970 to 2199: 9999-12-31T23:59:59.997")),
    Damage("a number beyond 32 bits", b'<row Id="@1" PostTypeId="1" Score="2147483648" />',
           refused=("Score is no whole number of 32 bits: 2147483648",)),
    Damage("a number beyond 64 bits", b'<row Id="@1" PostTypeId="1" ViewCount="9223372036854775808" />',
           refused=("ViewCount is no whole number of 64 bits: 9223372036854775808",)),
    Damage("the largest numbers", b'<row Id="@1" PostTypeId="1" Score="-2147483648" ViewCount="9223372036854775807" />',
           rows={1: {"score": -(2**31), "view_count": 2**63 - 1}}),
    Damage("numbers that are none",
           b'<row Id="@1" PostTypeId="1" Score="1.0" />\n<row Id="@2" PostTypeId="1" Score=" 1" />\n'
           b'<row Id="@4" PostTypeId="1" Score="1e3" />\n'
           b'<row Id="x@5" PostTypeId="1" />\n<row Id="@6" PostTypeId="1" FavoriteCount="5 " />\n'
           b'<row Id="@7 8" PostTypeId="1" />\n'
           b'<row Id="@9" PostTypeId="1" FavoriteCount="5&#xA;" />',
           refused=("Score is no whole number of 32 bits: 1.0", "Score is no whole number of 32 bits:  1",
                    "Score is no whole number of 32 bits: 1e3",
                    "Id is no whole number: x", "FavoriteCount is no whole number of 32 bits: 5 ",
                    "Id is no whole number: ",
                    "FavoriteCount is no whole number of 32 bits: 5\n")),
    Damage("a kind that is not known", b'<row Id="@1" PostTypeId="99" />', rows={1: {"post_type": "other"}}),
    Damage("a negative id", b'<row Id="@1" PostTypeId="1" OwnerUserId="-1" />', rows={1: {"user_id": "-1"}}),
    # What is no row
    Damage("a blank line", b"\n  \t", not_rows=2),
    Damage("text between rows", b"some text", refused=("there is text outside of any row",)),
    Damage("a comment", b'<!-- a <comment> with a <row Id="@1" PostTypeId="1" /> in it -->', not_rows=1),
    Damage("a long comment", b"<!-- " + b"x" * 100_000 + b" -->", not_rows=1),
    Damage("a comment beside a row", b'<!-- new --> <row Id="@1" PostTypeId="1" /> <!-- row -->', rows={1: {}}),
    Damage("a comment over several lines, with rows in it",
           b'<!--\n  <row Id="@1" PostTypeId="1" />\n</posts> -- &gt; "\n<row Id="@2" PostTypeId="1" />-->',
           not_rows=4),
    Damage("a comment that starts and ends on lines of rows",
           b'<row Id="@1" PostTypeId="1" /> <!-- a\n<row Id="@2" PostTypeId="1" />\n--> <row Id="@3" PostTypeId="1" />',
           rows={1: {}, 3: {}}, not_rows=1),
    Damage("a comment that does not end", b'<!-- a\n<row Id="@1" PostTypeId="1" />', rows={1: {}},
           refused=("a comment does not end",)),
    Damage("a comment that ends in another", b'<!-- a\n<row Id="@1" PostTypeId="1" />\n<!-- b\n-->', rows={1: {}},
           refused=("a comment does not end",), not_rows=2),
    Damage("the end of a comment alone", b"-->", refused=("there is text outside of any row",)),
    Damage("what looks like a comment in a value", b'<row Id="@1" PostTypeId="1" Body="&lt;!-- a --&gt; -->" />',
           rows={1: {"body": "<!-- a --> -->"}}),
    Damage("a comment that starts in a value", b'<row Id="@1" PostTypeId="1" Body="<!-- a" />',
           refused=("Unescaped '<' not allowed",)),
    Damage("CDATA", b"<![CDATA[ <row Id='@1' PostTypeId='1' /> ]]>", refused=("StartTag: invalid element name",)),
    Damage("CDATA over several lines, with rows in it",
           b'<![CDATA[ a\n<row Id="@1" PostTypeId="1" />\n]]> <row Id="@2" PostTypeId="1" />\n<![CDATA[ b',
           rows={2: {}}, refused=("StartTag: invalid element name", "StartTag: invalid element name"), joined=1),
    Damage("a namespace", b'<row Id="@1" PostTypeId="1" xmlns="a" />\n<row xmlns:a="b" a:Id="@2" PostTypeId="1" />',
           refused=("<{a}row> is not a row", "Id is missing")),
    Damage("codes that are no characters", '<row Id="@1" PostTypeId="1" Body="\ufffe" />\n'
           '<row Id="@2" PostTypeId="1" Body="&#xFFFF;" />'.encode(),
           refused=("invalid character in attribute value", "xmlParseCharRef: invalid xmlChar value 65535")),
    Damage("many attributes",
           b'<row Id="@1" PostTypeId="1" ' + b" ".join(b'a%d="1"' % number for number in range(50)) + b" />\n"
           b'<row Id="@2" PostTypeId="1" ' + b" ".join(b'a%d="1"' % number for number in range(1000)) + b" />",
           rows={1: {}}, refused=("the row has more than 1,000 attributes",)),
    Damage("processing instructions", b'<?php echo 1 ?> <?a?>\n<?b\n<row Id="@1" PostTypeId="1" />?>', not_rows=3),
    Damage("an element of another name", b'<post Id="@1" PostTypeId="1" />', refused=("<post> is not a row",)),
    Damage("a nested element", b'<row Id="@1" PostTypeId="1"><p>a</p></row>',
           refused=("the row element is not empty",)),
    Damage("text within a row", b'<row Id="@1" PostTypeId="1">a</row>', refused=("the row element is not empty",)),
    Damage("a DOCTYPE of a DTD elsewhere", b'<!DOCTYPE posts SYSTEM "http://127.0.0.1:9/posts.dtd">', not_rows=1),
    Damage("an entity bomb",
           b'<!DOCTYPE posts [\n<!ENTITY a "aaaaaaaaaa">\n<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">\n]>\n'
           b'<row Id="@1" PostTypeId="1" Body="&b;" />', not_rows=4, refused=("Entity 'b' not defined",)),
    Damage("an entity bomb in one line",
           b'<!DOCTYPE posts [<!ENTITY a "aaaaaaaaaa">]><row Id="@1" PostTypeId="1" Body="&a;" />',
           refused=("Entity 'a' not defined",)),
    Damage("an entity that names a file", b'<!DOCTYPE posts [<!ENTITY f SYSTEM "file:///etc/hostname">]>\n'
           b'<row Id="@1" PostTypeId="1" Body="&f;" />', not_rows=1, refused=("Entity 'f' not defined",)),
    Damage("a row of 8 MB", b'<row Id="@1" PostTypeId="1" Body="' + b"x" * (8 << 20) + b'" />',
           rows={1: {"body": "x" * (8 << 20)}}),
    Damage("a row of 8 MB that is damaged", b'<row Id="@1" PostTypeId="1" Body="' + b"y" * (8 << 20) + b'&" />',
           refused=("xmlParseEntityRef: no name",)),
)  # fmt: skip


@dataclass(frozen=True)
class FileDamage:
    """A file, and what becomes of it.

    Attributes:
        kind: what is special about it; the site that it is of is named after it.
        content: its bytes.
        ids: the rows that come out.
        refused: as of ``Damage``.
        lines: pieces that the reader tells apart; rows + refused + not rows.
        name: of the file.
        complete: whether it ends as it should; None where compression hides that.
        values: some values of the first row, by column.
    """

    kind: str
    content: bytes
    ids: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    lines: int = 0
    name: str = "Posts.xml"
    complete: bool | None = True
    values: Mapping[str, object] = field(default_factory=dict)


ROWS = b'  <row Id="1" PostTypeId="1" Body="a &lt;" />\n  <row Id="2" PostTypeId="2" ParentId="1" Body="b" />\n'
JUNK = b"junk\n"
USERS = (b'<users>\n  <row Id="-1" Reputation="1" DisplayName="Community" />\n'
         b'  <row Id="0" Reputation="0" />\n  <row Id="-01" Reputation="1" />\n</users>')  # fmt: skip
PRETTY = (b'<?xml version="1.0"?>\n<posts>\n  <row\n    Id="1"\n    PostTypeId="1"\n    Body="a &lt;"\n  />\n'
          b'  <row\n    Id="2"\n    PostTypeId="x"\n  />\n  <!-- c -->\n  <row\n    Id="3"\n    Body="cut\n'
          b'  <row\n    Id="4"\n    PostTypeId="2">\n  </row>\n</posts>\n')  # fmt: skip
CUT = "AttValue: ' expected"
COMMENT = b'<!--\n  "Rows" come in no order; <posts> &lt; <row Id="9" PostTypeId="1" />\n\n  <row Id="8" />\n-->\n'
PROLOG = b'<?xml version="1.0"?>\n<?xml-stylesheet href="a.xsl"?>\n\n' + COMMENT + b"<posts>\n"
LONG = b"<!--\n" + b"x" * 99 + (b"\n" + b'<row Id="7" PostTypeId="1" />' + b" " * 70) * 10_000 + b"\n-->\n"

FILES = (
    FileDamage("line ends LF", HEAD + ROWS + JUNK + FOOT, ("1", "2"), ("there is text",), 6),
    FileDamage("line ends CR LF", (HEAD + ROWS + JUNK + FOOT).replace(b"\n", b"\r\n"),
               ("1", "2"), ("there is text",), 6),
    FileDamage("line ends CR", (HEAD + ROWS + JUNK + FOOT).replace(b"\n", b"\r"), ("1", "2"), ("there is text",), 6),
    FileDamage("byte order mark", BOM + HEAD + ROWS + JUNK + FOOT, ("1", "2"), ("there is text",), 6),
    FileDamage("no line end at the end", (HEAD + ROWS + FOOT).rstrip(), ("1", "2"), (), 5),
    FileDamage("pretty-printed", PRETTY, ("1", "4"), ("PostTypeId is no whole number of 32 bits: x", CUT), 5),
    FileDamage("pretty-printed with byte order mark", BOM + PRETTY.replace(b"\n", b"\r\n"), ("1", "4"),
               ("PostTypeId is no whole number of 32 bits: x", CUT), 5),
    FileDamage("all in one line", (HEAD + ROWS).replace(b"\n", b"") + FOOT.strip(), ("1", "2"), (), 3),
    FileDamage("root and row in one line", b"<posts>" + ROWS.rstrip() + FOOT, ("1", "2"), (), 2),
    FileDamage("lower-case name", HEAD + ROWS + FOOT, ("1", "2"), (), 5, name="posts.xml"),
    FileDamage("brackets [x] {y} 100% ü#?", HEAD + ROWS + FOOT, ("1", "2"), (), 5),
    FileDamage("an empty file", b"", complete=False),
    FileDamage("a byte order mark alone", BOM, complete=False),
    FileDamage("no rows", HEAD + FOOT, lines=3),
    FileDamage("no rows in one tag", b'<?xml version="1.0" encoding="utf-8"?>\n<posts />', lines=2),
    FileDamage("truncated tail", HEAD + ROWS[:-6], ("1",), (CUT,), 4, complete=False),
    FileDamage("truncated between rows", HEAD + ROWS, ("1", "2"), (), 4, complete=False),
    FileDamage("truncated and closed", HEAD + ROWS[:-6] + b"\n" + FOOT, ("1",), (CUT,), 5),
    FileDamage("no prolog", b"<posts>\n" + ROWS + FOOT, ("1", "2"), (), 4),
    FileDamage("rows alone", ROWS, ("1", "2"), (), 2, complete=False),
    FileDamage("gzip", gzip.compress(BOM + HEAD + ROWS + JUNK + FOOT), ("1", "2"), ("there is text",), 6,
               name="Posts.xml.gz", complete=None),
    FileDamage("bzip2", bz2.compress(HEAD + ROWS + JUNK + FOOT), ("1", "2"), ("there is text",), 6,
               name="Posts.xml.bz2", complete=None),
    FileDamage("gzip of nothing", gzip.compress(b""), name="Posts.xml.gz", complete=False),
    # What XML allows around the root and the rows
    FileDamage("comments before, in and after the root", PROLOG + ROWS + COMMENT + FOOT + COMMENT + b"<?a?>\n\n",
               ("1", "2"), (), 24),
    FileDamage("comments, CR LF", (BOM + PROLOG + ROWS + FOOT + COMMENT).replace(b"\n", b"\r\n"), ("1", "2"), (), 17),
    FileDamage("comments, CR", (PROLOG + ROWS + FOOT + COMMENT).replace(b"\n", b"\r"), ("1", "2"), (), 17),
    FileDamage("comments, gzip", gzip.compress(PROLOG + ROWS + COMMENT + FOOT + COMMENT), ("1", "2"), (), 22,
               name="Posts.xml.gz", complete=None),
    FileDamage("comments, bzip2", bz2.compress(PROLOG + ROWS + COMMENT + FOOT), ("1", "2"), (), 17,
               name="Posts.xml.bz2", complete=None),
    FileDamage("comments, pretty-printed", PROLOG + PRETTY[29:].replace(b"<!-- c -->", COMMENT) + COMMENT,
               ("1", "4"), ("PostTypeId is no whole number of 32 bits: x", CUT), 11),
    FileDamage("comments, all in one line", (PROLOG + ROWS + COMMENT + FOOT + COMMENT).replace(b"\n", b" "),
               ("1", "2"), (), 9),
    FileDamage("a comment on the line of the root", b"<posts> <!-- a\n--> <!-- b\n-->" + ROWS + FOOT,
               ("1", "2"), (), 5),
    FileDamage("comments of 1 MB", LONG + b"<posts>\n" + ROWS + LONG + FOOT + LONG, ("1", "2"), (), 30_013),
    FileDamage("a comment of 1 MB in one line", b"<!--" + LONG[:4:-1].replace(b"\n", b"") + b"-->\n" + ROWS,
               ("1", "2"), (), 3, complete=False),
    FileDamage("a comment that does not end, before the root", b"<!-- a\n<posts>\n" + ROWS + FOOT,
               ("1", "2"), ("a comment does not end",), 5),
    FileDamage("a comment that does not end, after the root", HEAD + ROWS + FOOT + b"<!-- </posts>",
               ("1", "2"), ("a comment does not end",), 6, complete=False),
    FileDamage("a DOCTYPE over several lines",
               b"<!DOCTYPE posts\n  SYSTEM 'a.dtd' [\n<!ENTITY a '>'>\n<!ELEMENT row EMPTY>\n]>\n<posts>\n"
               + ROWS + FOOT, ("1", "2"), (), 9),
    # Roots, and posts that are not the site's own
    FileDamage("posts that the archive invents",
               HEAD + b'<row Id="1000000001" PostTypeId="1" OwnerUserId="-1" />\n' + FOOT,
               ("1000000001",), (), 4, values={"post_type": "invented"}),
    FileDamage("another root", b"<?xml version='1.0'?>\n" + COMMENT + b"<xml a='b'>\n" + ROWS + b"</xml>\n",
               ("1", "2"), (), 10),
    FileDamage("another root, cut", b"<xml>\n" + ROWS + b"</posts>\n", ("1", "2"), ("StartTag: invalid",), 4,
               complete=False),
    FileDamage("another root, all in one line", b"<xml>" + ROWS.replace(b"\n", b"") + b"</xml>", ("1", "2"), (), 3),
    FileDamage("ids below 0", USERS, ("-1", "0"), ("Id is no whole number: -01",), 5, name="Users.xml",
               values={"reputation": 1, "name": None}),
)  # fmt: skip

FOREIGN = (
    ("a 7z archive", b"7z\xbc\xaf\x27\x1c\x00\x04", "is a 7z archive", "let its name end in .7z"),
    ("gzip", b"\x1f\x8b\x08\x00", "is compressed by gzip", "let its name end in .xml.gz"),
    ("bzip2", b"BZh91AY", "is compressed by bzip2", "let its name end in .xml.bz2"),
    ("zstandard", b"\x28\xb5\x2f\xfd\x00", "is compressed by zstandard", "let its name end in .xml.zst"),
    ("a zip archive", b"PK\x03\x04\x14\x00", "is a zip archive", "let its name end in .zip"),
    ("UTF-16", "\ufeff<posts />".encode("utf-16-le"), "is UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8"),
    ("UTF-16, big end first", "\ufeff<posts />".encode("utf-16-be"), "is UTF-16 text",
     "convert it: iconv -f UTF-16 -t UTF-8"),
    ("UTF-16 without mark", "<posts />".encode("utf-16-le"), "is UTF-16 text",
     "convert it: iconv -f UTF-16LE -t UTF-8"),
    ("UTF-16 without mark, big end first", "<posts />".encode("utf-16-be"), "is UTF-16 text",
     "convert it: iconv -f UTF-16BE -t UTF-8"),
    ("a root of other elements", b"<!-- a --><feed>\n<entry />\n</feed>",
     "has the root element <feed>, not <posts>, and its first element is not <row>",
     "name the files of a Stack Exchange dump"),
    ("a root without rows", b"<xml />",
     "has the root element <xml>, not <posts>, and its first element is not <row>",
     "name the files of a Stack Exchange dump"),
    ("the root of another table", b'<?xml version="1.0"?>\n<users>\n<row Id="1" />\n</users>',
     "has the root element <users>, so it is a table of Users, not of Posts", "let its name be Users.xml"),
    *((kind, content, f"is no Stack Exchange dump; it starts with: {start}",
       "check where the file comes from, and download it again")
      for kind, content, start in (
          ("a text", BOM + b"Not\n  Found\n", "Not Found"),
          ("a text with a tag", b"404 <b>Not Found</b>\n", "404 <b>Not Found</b>"),
          ("a text after the XML declaration", b"<?xml version='1.0'?>\nno a < b\n", "<?xml version='1.0'?> no a < b"),
          ("an HTML page after a text", b"Sorry\n<!DOCTYPE html>\n<html />", "Sorry <!DOCTYPE html> <html />"),
      )),
)  # fmt: skip
"""Files that are no XML of a dump: kind, first bytes, what the refusal says and advises."""
