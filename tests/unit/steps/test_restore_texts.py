"""Earlier bodies as HTML."""

from cqa_spark.steps.restore_texts import html_of


def test_markdown_with_html_in_it_is_rendered() -> None:
    written = "Use *hops* &amp; <kbd>malt</kbd>:\r\n\r\n    boil(60)\r\n\r\n- [more](https://example.org)"
    assert html_of(written) == (
        "<p>Use <em>hops</em> &amp; <kbd>malt</kbd>:</p>\n"
        "<pre><code>boil(60)\n</code></pre>\n"
        '<ul>\n<li><a href="https://example.org">more</a></li>\n</ul>\n'
    )
