"""Tests that a tree is unpacked as it was packed. test_trees.py tests the owners of its files."""

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside import packing

# Names and link targets are any bytes. `surefire-reports` is not among the names: results of
# earlier runs are left behind, as a separate test shows.
NAMES = st.one_of(
    st.sampled_from([b"a", b"b.py", b"pom.xml", b"target", b"c.txt", b"\xff\xfe", "ж".encode()]),
    st.binary(min_size=1, max_size=20).filter(
        lambda name: (
            b"/" not in name
            and b"\0" not in name
            and name not in (b".", b"..", b"surefire-reports")
        )
    ),
).map(os.fsdecode)


class File(NamedTuple):
    content: bytes
    mode: int


class Link(NamedTuple):
    target: str


Tree: TypeAlias = "dict[str, File | Link | Tree]"
FILES = st.builds(File, st.binary(max_size=5000), st.sampled_from([0o644, 0o755, 0o600, 0o444]))
LEAVES = st.dictionaries(NAMES, FILES | st.builds(Link, NAMES), max_size=4)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.dictionaries(NAMES, FILES | st.builds(Link, NAMES) | inner, max_size=4),
    max_leaves=12,
)
TIMES = st.integers(0, 2**62)


@contextmanager
def the_same_user(_uid: int) -> Iterator[None]:
    yield


def make(place: Path, tree: Tree, time: int) -> None:
    place.mkdir()
    for name, found in tree.items():
        path = place / name
        if isinstance(found, File):
            path.write_bytes(found.content)
            path.chmod(found.mode)
        elif isinstance(found, Link):
            path.symlink_to(found.target)
        else:
            make(path, found, time + 1)
        os.utime(path, ns=(time, time), follow_symlinks=False)
    os.utime(place, ns=(time, time))


def unpacked(pack: Path, root: Path) -> None:
    root.mkdir()
    fd = os.open(pack, os.O_RDONLY)
    try:
        packing.unpack(fd, str(root), the_same_user, 0, 0)
    finally:
        os.close(fd)


def seen(root: Path) -> dict[str, tuple[object, ...]]:
    """Every path with what a pack keeps of it: kind, time, and the content or link target, if
    any."""
    return {str(path.relative_to(root)): looked_at(path) for path in root.rglob("*")}


def looked_at(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    content: object = None
    if path.is_symlink():
        content = path.readlink()
    elif path.is_file():
        content = path.read_bytes()
    return stat.S_IFMT(status.st_mode), status.st_mtime_ns, content


@given(TREES, TIMES)
def test_a_tree_comes_out_as_it_went_in(tree: Tree, time: int) -> None:
    with TemporaryDirectory() as place:
        before, after = Path(place, "before"), Path(place, "after")
        make(before, tree, time)
        taken = packing.pack(str(before), f"{place}/pack")
        unpacked(Path(place, "pack"), after)
        expected, got = seen(before), seen(after)
        added = {path for path in got if path not in expected}
        assert {path: got[path] for path in expected} == expected
        assert {Path(path).name for path in added} <= {"__pycache__"}
        assert taken["entries"] == len(expected) + 1


@given(TREES, TIMES)
def test_equal_trees_have_equal_packs(tree: Tree, time: int) -> None:
    with TemporaryDirectory() as place:
        packs = []
        for name, ordered in (("one", tree), ("two", dict(reversed(tree.items())))):
            make(Path(place, name), ordered, time)
            packing.pack(f"{place}/{name}", f"{place}/pack")
            packs.append(Path(place, "pack").read_bytes())
        assert packs[0] == packs[1]


@given(TREES, TREES, TIMES)
def test_a_tree_with_byte_code_comes_out_as_it_went_in(tree: Tree, cache: Tree, time: int) -> None:
    with TemporaryDirectory() as place:
        before, pack, after = Path(place, "before"), Path(place, "pack"), Path(place, "after")
        make(before, tree, time)
        packing.pack(str(before), str(pack))
        make(Path(place, "cache"), cache, time)
        packing.add_byte_code(f"{place}/cache", str(pack))
        unpacked(pack, after)
        expected, got = seen(before), seen(after)
        assert {path: got[path] for path in expected} == expected
        added = {Path(path) for path in got if path not in expected}
        assert {path for path in added if path.name != "__pycache__"} == set()


def test_byte_code_is_added_of_what_was_packed_and_of_nothing_else(root: Path) -> None:
    below, cache = root / "below", root.parent / "cache/below"
    pack, after = root.parent / "pack", root.parent / "after"
    below.mkdir()
    cache.mkdir(parents=True)
    (below / "a.py").write_text("a = 1\n")
    packing.pack(str(root), str(pack))
    for name in ("a.cpython-311.pyc", "a.cpython-311-pytest-9.0.pyc", "b.cpython-311.pyc", "a.so"):
        (cache / name).write_text(name)
    (cache / "a.link.pyc").symlink_to("/etc/passwd")
    taken = packing.add_byte_code(str(cache.parent), str(pack))
    unpacked(pack, after)
    files = {str(path.relative_to(after)) for path in after.rglob("*") if path.is_file()}
    of_a = [f"a.cpython-311{kind}.pyc" for kind in ("", "-pytest-9.0")]
    assert files == {"below/a.py", *(f"below/__pycache__/{name}" for name in of_a)}
    assert [(after / "below/__pycache__" / name).read_text() for name in of_a] == of_a
    assert taken == {"entries": 6, "bytes": 9 * 4096}
    assert stat.S_IMODE(pack.stat().st_mode) == 0o600


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def kinds(root: Path) -> dict[str, int]:
    pack = root.parent / "pack"
    packing.pack(str(root), str(pack))
    entries, _ = packing.read_index(memoryview(pack.read_bytes()))
    return {entry.path: entry.kind for entry in entries}


@pytest.mark.parametrize("path", ["a.py", "run", "data.json", "a.pyc", "target/A.class"])
def test_what_no_build_makes_anew_is_guarded(root: Path, path: str) -> None:
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).touch()
    assert kinds(root)[path] == packing.GUARDED


def test_what_a_build_makes_anew_is_free(root: Path) -> None:
    for path in ("pom.xml", "target/generated/A.java", "src/target/B.java"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    found = kinds(root)
    assert found["target/generated/A.java"] == packing.FREE
    assert found["src/target/B.java"] == found["pom.xml"] == packing.GUARDED


def test_results_of_earlier_runs_are_left_behind(root: Path) -> None:
    place = root / "module/target/surefire-reports"
    place.mkdir(parents=True)
    (place / "TEST-a.B.xml").write_text("<testsuite/>")
    assert set(kinds(root)) == {"", "module", "module/target", "module/target/surefire-reports"}


def test_what_is_no_file_is_left_out(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket"))
        assert set(kinds(root)) == {""}


def test_a_pack_is_for_its_owner_alone(root: Path) -> None:
    pack = root.parent / "pack"
    pack.touch(0o666)
    packing.pack(str(root), str(pack))
    assert stat.S_IMODE(pack.stat().st_mode) == 0o600


def test_guarded_files_can_be_read_and_run_by_all_and_written_by_nobody_else(root: Path) -> None:
    for name, mode in (("a.py", 0o600), ("run", 0o700), ("b.py", 0o666), ("data", 0o440)):
        (root / name).touch()
        (root / name).chmod(mode)
    pack, after = root.parent / "pack", root.parent / "after"
    packing.pack(str(root), str(pack))
    unpacked(pack, after)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in after.iterdir()}
    assert modes.pop("__pycache__") == 0o755
    assert modes == {"a.py": 0o644, "run": 0o755, "b.py": 0o644, "data": 0o444}


@given(st.binary(max_size=64))
def test_what_is_no_pack_is_told_apart(data: bytes) -> None:
    with pytest.raises(ValueError, match="no packed tree"):
        packing.read_index(memoryview(b"x" + data))
