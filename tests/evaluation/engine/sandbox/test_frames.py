"""Frames arrive whole, in order and within their bound."""

import json
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside import frames

JSON: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.fixture
def ends() -> Iterator[list[int]]:
    fds = list(os.pipe())
    yield fds
    for fd in fds:
        os.close(fd)


@given(st.lists(st.binary(max_size=200), max_size=5))
def test_what_is_written_is_read(bodies: list[bytes]) -> None:
    read, write = os.pipe()
    for body in bodies:
        frames.write(write, body)
    os.close(write)
    assert [frames.read(read) for _ in bodies] == bodies
    with pytest.raises(EOFError):
        frames.read(read)
    os.close(read)


@given(JSON)
def test_a_dump_is_utf_8_and_loads_as_it_was(value: Any) -> None:
    assert json.loads(frames.dump(value)) == value
    assert frames.dump("é\ud800") == b'"\xc3\xa9\xed\xa0\x80"'


def test_a_frame_larger_than_a_pipe_arrives(ends: list[int]) -> None:
    body = os.urandom(3 * 2**20)
    writer = threading.Thread(target=frames.write, args=(ends[1], body))
    writer.start()
    assert frames.read(ends[0]) == body
    writer.join()


def test_more_than_the_bound_is_refused_before_it_is_read(ends: list[int]) -> None:
    frames.write(ends[1], b"12345")
    with pytest.raises(frames.BadFrame, match="5 bytes"):
        frames.read(ends[0], 4)


@pytest.mark.parametrize("cut", [1, 3, 4, 6])
def test_an_end_in_the_middle_is_not_an_end(cut: int) -> None:
    read, write = os.pipe()
    os.write(write, (frames.PREFIX.pack(3) + b"abc")[:cut])
    os.close(write)
    with pytest.raises(frames.BadFrame, match="middle"):
        frames.read(read)
    os.close(read)
