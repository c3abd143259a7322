"""Compressed files as streams: what they hold, and that neither damage nor a bomb gets through."""

import bz2
import gzip
from pathlib import Path

import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from cqa_spark.corpora.inputs import UnpackLimits
from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.corpora.stackexchange.probe import Access, open_text
from cqa_spark.errors import InputError
from cqa_spark.settings.sections import ObjectStorageSettings

POSTS = b'<posts>\n  <row Id="1" Body="&lt;p&gt;Is it so?&lt;/p&gt;" />\n</posts>\n'
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstd.compress}
MAGIC = b"\x28\xb5\x2f\xfd"


def raw_frame(content: bytes, window_log: int = 10, size: int | None = None) -> bytes:
    """A frame of Zstandard with one raw block, whose header asks for a window and may claim a size."""
    block = (len(content) << 3 | 1).to_bytes(3, "little") + content
    window = bytes([window_log - 10 << 3])
    if size is None:
        return MAGIC + b"\x00" + window + block
    return MAGIC + b"\xc0" + window + size.to_bytes(8, "little") + block


def skippable_frame(content: bytes) -> bytes:
    """A frame of Zstandard that decoders pass over."""
    return b"\x50\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


def text_of(folder: Path, packing: str, content: bytes, limits: UnpackLimits | None = None) -> bytes:
    path = folder / f"Posts.xml{packing}"
    path.write_bytes(content)
    (file,) = find_dump_files([str(path)])
    with open_text(file, Access(ObjectStorageSettings(), limits or UnpackLimits()), len(content)) as text:
        return b"".join(iter(lambda: text.read(1000), b""))


@pytest.mark.parametrize("packing", PACKERS)
def test_parts_that_were_packed_one_by_one_are_one_text(tmp_path: Path, packing: str) -> None:
    pack = PACKERS[packing]
    assert text_of(tmp_path, packing, pack(POSTS[:20]) + pack(POSTS[20:])) == POSTS


def test_many_small_frames_and_frames_to_skip_are_one_text(tmp_path: Path) -> None:
    largest = raw_frame(POSTS[:1], window_log=27)
    frames = [skippable_frame(b"a note"), largest, raw_frame(b""), *(raw_frame(bytes([byte])) for byte in POSTS[1:])]
    assert text_of(tmp_path, ".zst", b"".join(frames) * 50 + skippable_frame(b"")) == POSTS * 50


@settings(max_examples=60)
@given(packing=st.sampled_from(list(PACKERS)), place=st.floats(0, 1, exclude_max=True))
def test_whatever_is_cut_off_is_refused(tmp_path_factory: pytest.TempPathFactory, packing: str, place: float) -> None:
    packed = PACKERS[packing](POSTS)
    with pytest.raises(InputError, match="damaged or truncated compressed files"):
        text_of(tmp_path_factory.mktemp("cut"), packing, packed[: max(1, int(place * len(packed)))])


@pytest.mark.parametrize(
    "bad",
    [skippable_frame(b"skipped")[:-1], raw_frame(POSTS)[:-1], raw_frame(POSTS, size=2**63), b"\x28\xb5", b"junk"],
)
def test_what_follows_a_frame_is_a_frame(tmp_path: Path, bad: bytes) -> None:
    with pytest.raises(InputError, match=r"damaged or truncated compressed files: .*Posts\.xml\.zst"):
        text_of(tmp_path, ".zst", raw_frame(POSTS) + bad)


@pytest.mark.parametrize("window_log", [28, 31])
@pytest.mark.parametrize("before", [b"", raw_frame(POSTS)], ids=["first frame", "later frame"])
def test_a_window_that_no_memory_holds(tmp_path: Path, window_log: int, before: bytes) -> None:
    with pytest.raises(InputError, match=r"Posts\.xml\.zst needs more than 134,217,728 bytes of memory to unpack"):
        text_of(tmp_path, ".zst", before + raw_frame(POSTS, window_log))


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("frames", [1, 1000])
def test_a_bomb_is_refused(tmp_path: Path, packing: str, frames: int) -> None:
    bomb = PACKERS[packing](bytes(10**7 // frames)) * frames
    most = 20 if frames > 1 else 200
    message = rf"unpacks to more than {most} times its [\d,]+ bytes, reached in its member Posts\.xml"
    with pytest.raises(InputError, match=message):
        text_of(tmp_path, packing, bomb, UnpackLimits(max_ratio=most))


def test_the_total_is_limited(tmp_path: Path) -> None:
    assert text_of(tmp_path, ".zst", zstd.compress(POSTS), UnpackLimits(200, len(POSTS))) == POSTS
    with pytest.raises(InputError, match=rf"unpacks to more than {len(POSTS) - 1} bytes"):
        text_of(tmp_path, ".zst", zstd.compress(POSTS), UnpackLimits(200, len(POSTS) - 1))
