import pytest
from fake_bucket import FAULT, FakeClient, bucket
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.object_store.bucket import MultipartUpload


@given(st.lists(st.binary(max_size=12)))
def test_the_object_holds_what_was_written_in_parts(pieces: list[bytes]) -> None:
    client = FakeClient()
    upload = MultipartUpload(bucket(client, prefix=""), "Posts.xml", part=5)
    for piece in pieces:
        upload.write(piece)
    assert client.objects == {}
    upload.close()
    assert client.objects == {"Posts.xml": b"".join(pieces)}
    assert client.parts == {}


def test_a_part_is_sent_again_after_a_fault() -> None:
    client = FakeClient([None, FAULT, None, FAULT])
    upload = MultipartUpload(bucket(client, prefix=""), "key", part=3)
    upload.write(b"abcdefgh")
    upload.close()
    assert client.objects == {"key": b"abcdefgh"}


@pytest.mark.parametrize("written", [b"", b"ab", b"abcdefg"])
def test_what_is_not_complete_is_removed(written: bytes) -> None:
    client = FakeClient()
    upload = MultipartUpload(bucket(client, prefix=""), "key", part=3)
    upload.write(written)
    upload.abort()
    assert (client.objects, client.parts) == ({}, {})
