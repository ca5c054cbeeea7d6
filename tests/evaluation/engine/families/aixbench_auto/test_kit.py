"""The packed form of what tasks share."""

from __future__ import annotations

import io
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_auto.kit import Kit, packed

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
    """The same kit with its parts in reverse order."""
    parts = (kit.sources, kit.jars, kit.resources)
    return Kit(*(dict(reversed(part.items())) for part in parts))


@given(KITS)
def test_the_packed_form_holds_every_part(kit: Kit) -> None:
    with zipfile.ZipFile(io.BytesIO(packed(kit))) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
        assert {info.compress_type for info in archive.infolist()} <= {zipfile.ZIP_STORED}
    assert members == {
        **{f"sources/{path}": text.encode() for path, text in kit.sources.items()},
        **{f"jars/{name}": content for name, content in kit.jars.items()},
        **{f"resources/{path}": content for path, content in kit.resources.items()},
    }


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
