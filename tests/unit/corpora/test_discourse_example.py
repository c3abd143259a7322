"""The reader of the example plug-in, without Spark."""

import json
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "discourse"
TOPIC = {
    "title": "How do I pour a stout?",
    "tags": ["stout"],
    "post_stream": {
        "posts": [
            {"id": 12, "post_number": 2, "user_id": 8, "created_at": "2024-01-02T00:00:00Z", "cooked": "<p>Slowly.</p>",
             "accepted_answer": True},
            {"id": 11, "post_number": 1, "user_id": 7, "created_at": "2024-01-01T00:00:00Z", "cooked": "<p>How?</p>"},
        ]
    },
}  # fmt: skip


def test_the_posts_of_a_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    from discourse_export.topics import Post, posts_of

    assert list(posts_of(json.dumps(TOPIC).encode())) == [
        Post("11", "11", "7", "2024-01-01T00:00:00Z", "How do I pour a stout?", "<p>How?</p>", ["stout"], "12"),
        Post("12", "11", "8", "2024-01-02T00:00:00Z", None, "<p>Slowly.</p>"),
    ]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"post_stream": {"posts": []}}', b'{"post_stream": {"posts": [1]}}']
)
def test_a_file_that_is_no_topic_says_so(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    from discourse_export.topics import posts_of

    (post,) = posts_of(content)
    assert post.post_id is None
    assert str(post.problem).startswith("it is no topic of Discourse: ")
