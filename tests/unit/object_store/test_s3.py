import pytest
from fake_bucket import FAULT, FakeClient, bucket
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.object_store.remote_store import RemoteStore
from cqa_spark.object_store.requests import PartsWriter


def writer(client: FakeClient, part: int) -> PartsWriter:
    store = bucket(client, prefix="")
    assert isinstance(store, RemoteStore)
    opened = store.writer("key")
    assert isinstance(opened, PartsWriter)
    opened.part = part
    return opened


@given(st.lists(st.binary(max_size=12)))
def test_the_object_holds_what_was_written_in_parts(pieces: list[bytes]) -> None:
    client = FakeClient()
    upload = writer(client, part=5)
    for piece in pieces:
        upload.write(piece)
    assert client.objects == {}
    upload.close()
    assert client.objects == {"key": b"".join(pieces)}
    assert client.parts == {}


def test_a_part_is_sent_again_after_a_fault() -> None:
    client = FakeClient([None, FAULT, None, FAULT])
    upload = writer(client, part=3)
    upload.write(b"abcdefgh")
    upload.close()
    assert client.objects == {"key": b"abcdefgh"}


@pytest.mark.parametrize("written", [b"", b"ab", b"abcdefg"])
def test_what_is_not_complete_is_removed(written: bytes) -> None:
    client = FakeClient()
    upload = writer(client, part=3)
    upload.write(written)
    upload.abort()
    assert (client.objects, client.parts) == ({}, {})
