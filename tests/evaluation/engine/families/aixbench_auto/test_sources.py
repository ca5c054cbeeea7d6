"""Tests of reading a checkout from strangers: which files are read, and which are not."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.datasets import Problems
from evaluation.engine.families.aixbench_auto import sources
from evaluation.engine.families.aixbench_auto.sources import Checkout, Kit, packed


def opened(root: Path, *folders: str) -> tuple[Checkout, Problems]:
    problems = Problems()
    return Checkout(root, folders or ("a", "b/c"), problems), problems


def said(problems: Problems) -> list[str]:
    return [str(problem) for problem in problems.found]


def test_only_what_is_asked_for_is_looked_at(tmp_path: Path) -> None:
    for path in ("a/x.txt", "a/d/y.txt", "b/c/z.txt", "b/other.txt", "top.txt"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    checkout, problems = opened(tmp_path)
    assert checkout.paths == {"a/x.txt", "a/d/y.txt", "b/c/z.txt"}
    assert checkout.directly_in("a") == ["a/x.txt"]
    assert checkout.below("a", ".txt") == ["a/d/y.txt", "a/x.txt"]
    assert checkout.text("a/d/y.txt") == "a/d/y.txt"
    assert checkout.text("top.txt") is None
    assert said(problems) == ["top.txt: the checkout does not contain this file"]


def test_links_are_told_and_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "file").write_text("secret")
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "a/folder").symlink_to(secret)
    (root / "a/file").symlink_to(secret / "file")
    (root / "b").symlink_to(secret)
    checkout, problems = opened(root)
    assert checkout.paths == frozenset()
    link = "a link; links are not followed"
    assert sorted(said(problems)) == [f"{path}: {link}" for path in ("a/file", "a/folder", "b")]


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/x").write_text("x")
    checkout, problems = opened(tmp_path)
    (tmp_path / "a/x").unlink()
    (tmp_path / "a/x").symlink_to("/etc/hostname")
    assert checkout.content("a/x") is None
    assert said(problems)[0].startswith("a/x: it cannot be read:")


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a/pipe")
    checkout, problems = opened(tmp_path)
    assert said(problems) == ["a/pipe: neither a file nor a folder"]


@pytest.mark.parametrize("name", [b"back\\slash", b"new\nline", b"not\xff utf"])
def test_odd_names_are_told(tmp_path: Path, name: bytes) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / os.fsdecode(name)).write_text("")
    checkout, problems = opened(tmp_path)
    assert checkout.paths == frozenset()
    (sentence,) = said(problems)
    assert sentence.endswith("the path contains a character that is not allowed here")
    assert sentence.isprintable()


def test_a_text_is_utf_8_without_its_mark(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/marked").write_bytes(b"\xef\xbb\xbfx")
    (tmp_path / "a/gbk").write_bytes("x\n中文".encode("gbk"))
    checkout, problems = opened(tmp_path)
    assert checkout.text("a/marked") == "x"
    assert checkout.text("a/gbk") is None
    assert said(problems) == ["a/gbk, line 2: not UTF-8"]


def test_files_have_bounds_by_themselves_and_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST_BYTES", 10)
    (tmp_path / "a").mkdir()
    for name, size in (("x", 6), ("y", 6), ("z", 4)):
        (tmp_path / "a" / name).write_text("." * size)
    checkout, problems = opened(tmp_path)
    assert [checkout.content(f"a/{name}", 9) for name in "xyz"] == [b"......", None, b"...."]
    assert said(problems) == [
        "a/y: it cannot be read: too large, separately or together with the others"
    ]


def test_the_number_of_files_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_FILES", 5)
    for number in range(7):
        (tmp_path / f"a/{number}").mkdir(parents=True)
    checkout, problems = opened(tmp_path)
    assert said(problems) == ["a: it holds more than 5 files and folders"]


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
def test_the_packed_form_depends_on_the_content_alone(kit: Kit) -> None:
    assert packed(turned(kit)) == packed(kit)
    assert turned(kit).sha256 == kit.sha256


def test_the_packed_form_is_the_same_in_every_release() -> None:
    kit = Kit({"a/B.java": "class B {}"}, {"c.jar": b"PK"}, {"d/文.txt": b""})
    assert kit.sha256 == ("b81ea1603932c3826e007de1f9c8c1f6020459974139e008d12fcded489ddf76")
