"""What tasks share, packed and unpacked."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.aixbench_auto.kit import Kit, packed, path_fault, unpacked

NAMES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
KITS = st.builds(
    Kit,
    st.dictionaries(PATHS, TEXTS, max_size=4),
    st.dictionaries(NAMES, st.binary(max_size=30), max_size=3),
    st.dictionaries(PATHS, st.binary(max_size=30), max_size=4),
)


def turned(kit: Kit) -> Kit:
    """The same in another order."""
    sources, jars, resources = ([*part] for part in (kit.sources, kit.jars, kit.resources))
    return Kit(
        {path: kit.sources[path] for path in reversed(sources)},
        {name: kit.jars[name] for name in reversed(jars)},
        {path: kit.resources[path] for path in reversed(resources)},
    )


@given(KITS)
def test_a_kit_comes_out_as_it_went_in(kit: Kit) -> None:
    assert unpacked(packed(kit)) == kit


@given(KITS)
def test_the_packed_form_depends_on_the_content_alone(kit: Kit) -> None:
    assert packed(turned(kit)) == packed(kit)
    assert turned(kit).sha256 == kit.sha256


@given(KITS, KITS)
def test_other_kits_have_other_hashes(one: Kit, other: Kit) -> None:
    assert (one.sha256 == other.sha256) == (one == other)


def test_the_packed_form_is_the_same_in_every_release() -> None:
    kit = Kit({"a/B.java": "class B {}"}, {"c.jar": b"PK"}, {"d/文.txt": b""})
    assert kit.sha256 == ("b81ea1603932c3826e007de1f9c8c1f6020459974139e008d12fcded489ddf76")


def archive(name: str, how: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as made:
        made.writestr(name, b"x" * 100)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a zip"),
        (archive("sources/../a"), "leads elsewhere"),
        (archive("resources//a"), "leads elsewhere"),
        (archive("jars/./a"), "leads elsewhere"),
        (archive("resources/a\\b"), "character"),
        (archive("resources/a\nb"), "character"),
        (archive("resources/a", zipfile.ZIP_DEFLATED), "compressed"),
    ],
)
def test_what_is_no_kit_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(BenchmarkError, match=said):
        unpacked(content)


@given(st.data())
def test_broken_archives_are_refused_and_nothing_else_happens(data: st.DataObject) -> None:
    content = bytearray(archive("sources/a"))
    for _ in range(3):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        kit = unpacked(bytes(content))
    except BenchmarkError:
        return
    assert not any(path_fault(path) for path in kit.sources)
