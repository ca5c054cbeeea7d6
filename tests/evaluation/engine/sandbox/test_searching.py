"""The search for copies, in folders of the test instead of a container's root."""

import io
import os
import py_compile
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.preparation.withholding import LEAST_BYTES, wanted
from evaluation.engine.sandbox.inside import searching

ANSWER = "".join(f"def answer_{n}():\n    return {n}\n" for n in range(9))
JAVA = (
    "package a.b;\npublic class Thing {\n    class Inner {}\n    int answer() { return 42; }\n}\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    return made


def job(root: Path, do: str, **more: Any) -> dict[str, Any]:
    return {"do": do, "root": str(root), "store": str(root / "store"), "apart": [], **more}


def found(root: Path, withheld: dict[str, bytes], *, apart: tuple[str, ...] = ()) -> list[Any]:
    asked = job(root, "search", **wanted(withheld))
    return searching.search({**asked, "apart": [str(root / path) for path in apart]})


def paths(root: Path, withheld: dict[str, bytes], *, apart: tuple[str, ...] = ()) -> set[str]:
    listed = found(root, withheld, apart=apart)
    return {path.removeprefix(f"{root}/") for _, path, _ in listed}


def put(root: Path, path: str, data: str | bytes) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data.encode() if isinstance(data, str) else data)
    return place


def archive(members: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members.items():
            file.writestr(name, text)
    return buffer.getvalue()


def test_a_copy_is_found_under_any_name_and_the_original_left_out(root: Path) -> None:
    for path in ("tree/pkg/mod.py", "lib/pkg/mod.py", "cache/0a1b2c"):
        put(root, path, ANSWER)
    put(root, "lib/pkg/other.py", ANSWER.replace("answer_3", "other"))
    copies = paths(root, {"pkg/mod.py": ANSWER.encode()}, apart=("tree/pkg/mod.py",))
    assert copies == {"lib/pkg/mod.py", "cache/0a1b2c"}


@given(
    st.text(
        st.characters(codec="utf-8", exclude_characters="\r"), min_size=LEAST_BYTES, max_size=300
    )
)
def test_other_newlines_make_no_other_file(text: str) -> None:
    asked = searching.Wanted({"classes": [], **wanted({"a.txt": text.encode()})})
    for newline in ("\n", "\r\n", "\r"):
        data = text.replace("\n", newline).encode()
        if len(text.encode()) >= LEAST_BYTES:
            assert asked.is_copy("b", len(data), io.BytesIO(data).read)


@given(st.binary(max_size=200), st.binary(min_size=LEAST_BYTES, max_size=200))
def test_what_differs_in_more_than_newlines_is_no_copy(other: bytes, data: bytes) -> None:
    asked = searching.Wanted(wanted({"a.txt": data}))
    is_copy = asked.is_copy("b", len(other), io.BytesIO(other).read)
    assert not is_copy or searching.normal(other) == searching.normal(data)


def test_byte_code_is_found_wherever_it_lies(root: Path) -> None:
    source = put(root, "mod.py", ANSWER)
    other = put(root, "other/mod.py", ANSWER + "more = 1\n")
    for target in ("lib/__pycache__/mod.cpython-311.pyc", "old/mod.pyc"):
        (root / target).parent.mkdir(parents=True, exist_ok=True)
        py_compile.compile(str(source), str(root / target), doraise=True)
    py_compile.compile(str(other), doraise=True)
    source.unlink()
    assert paths(root, {"pkg/mod.py": ANSWER.encode()}) == {
        "lib/__pycache__/mod.cpython-311.pyc",
        "old/mod.pyc",
    }


def test_byte_code_that_does_not_say_its_sources_size_is_found_by_its_name(root: Path) -> None:
    source = put(root, "lib/mod.py", ANSWER)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(source), doraise=True, invalidation_mode=mode)
    assert len(paths(root, {"pkg/mod.py": ANSWER.encode()})) == 2


def test_a_source_and_its_byte_code_go_together(root: Path) -> None:
    py_compile.compile(str(put(root, "lib/mod.py", ANSWER)), doraise=True)
    groups = {group for group, _, _ in found(root, {"mod.py": ANSWER.encode()})}
    assert groups == {str(root / "lib/mod")}


def test_classes_are_found_by_the_package_that_their_folders_make(root: Path) -> None:
    for path in ("target/classes/a/b/Thing.class", "out/a/b/Thing$Inner.class"):
        put(root, path, "code")
    for path in ("out/a/c/Thing.class", "out/a/b/Things.class", "out/xa/b/Thing.class"):
        put(root, path, "code")
    assert paths(root, {"src/a/b/Thing.java": JAVA.encode()}) == {
        "target/classes/a/b/Thing.class",
        "out/a/b/Thing$Inner.class",
    }


@pytest.mark.parametrize("suffix", ["zip", "whl", "jar", "egg"])
def test_an_archives_members_are_looked_at(root: Path, suffix: str) -> None:
    inner = {"pkg/mod.py": ANSWER, "pkg/else.py": "x = 1\n", "a/b/Thing.class": "code"}
    put(root, f"cache/thing.{suffix}", archive(inner))
    withheld = {"pkg/mod.py": ANSWER.encode(), "a/b/Thing.java": JAVA.encode()}
    (copy,) = found(root, withheld)
    assert copy[1:] == [str(root / f"cache/thing.{suffix}"), ["pkg/mod.py", "a/b/Thing.class"]]


def test_a_source_distribution_is_looked_at(root: Path) -> None:
    with tarfile.open(root / "thing-1.tar.gz", "w:gz") as tar:
        tar.add(put(root, "mod.py", ANSWER), "thing-1/mod.py")
    with tarfile.open(root / "other-1.tar.gz", "w:gz") as tar:
        tar.add(put(root, "other.py", "x = 1\n"), "other-1/other.py")
    assert paths(root, {"mod.py": ANSWER.encode()}, apart=("mod.py",)) == {"thing-1.tar.gz"}


@given(st.binary(max_size=300), st.sampled_from([".zip", ".tar.gz", ".pyc", ".class", ".py"]))
def test_no_file_stops_the_search(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, suffix: str
) -> None:
    root = tmp_path_factory.mktemp("root")
    put(root, f"mod{suffix}", data)
    put(root, "lib/mod.py", ANSWER)
    assert "lib/mod.py" in paths(root, {"mod.py": ANSWER.encode()})


def test_links_are_not_followed(root: Path, tmp_path: Path) -> None:
    put(tmp_path, "outside/mod.py", ANSWER)
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "mod.py").symlink_to(tmp_path / "outside/mod.py")
    assert paths(root, {"mod.py": ANSWER.encode()}) == set()


def test_what_is_taken_comes_back_as_it_was(root: Path) -> None:
    place = put(root, "lib/mod.py", ANSWER)
    place.chmod(0o755)
    os.utime(place, (1, 2))
    copies = [[str(place), []]]
    searching.take(job(root, "take", copies=copies))
    assert not place.exists()
    searching.give_back(job(root, "return", copies=copies))
    assert place.read_text() == ANSWER
    assert (place.stat().st_mode & 0o777, place.stat().st_mtime) == (0o755, 2)


def test_an_archive_goes_on_without_what_is_taken_from_it(root: Path) -> None:
    whole = archive({"pkg/mod.py": ANSWER, "pkg/else.py": "x = 1\n"})
    place = put(root, "thing.jar", whole)
    copies = [[str(place), ["pkg/mod.py"]]]
    searching.take(job(root, "take", copies=copies))
    with zipfile.ZipFile(place) as left:
        assert {name: left.read(name) for name in left.namelist()} == {"pkg/else.py": b"x = 1\n"}
    assert paths(root, {"mod.py": ANSWER.encode()}) == set()
    searching.give_back(job(root, "return", copies=copies))
    assert place.read_bytes() == whole


def test_cleaning_leaves_what_nobody_named(root: Path) -> None:
    gone = (".git/HEAD", "a/__pycache__/x.pyc", "m/target/surefire-reports/T.xml", "tmp/x/y", "b")
    kept = ("a/x.py", "m/target/classes/X.class", "surefire-reports/T.xml")
    for path in (*gone, *kept):
        put(root, path, "")
    (root / "tmp/link").symlink_to("/etc")
    sweep = [str(root), [".git", "__pycache__"], ["/target/surefire-reports"]]
    searching.clean(
        {
            "paths": [str(root / "b"), str(root / "never/there")],
            "emptied": [str(root / "tmp"), str(root / "nowhere")],
            "sweeps": [sweep],
            "readable": [],
        }
    )
    left = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert left == set(kept)
    assert list((root / "tmp").iterdir()) == []


def test_what_is_made_readable_can_be_read_and_entered_by_all(root: Path) -> None:
    program, text = put(root, "home/bin/run", ""), put(root, "home/text", "")
    program.chmod(0o700)
    text.chmod(0o600)
    (root / "home").chmod(0o700)
    readable = {"paths": [], "emptied": [], "sweeps": [], "readable": [str(root / "home")]}
    searching.clean(readable)
    modes = [place.stat().st_mode & 0o777 for place in (program, text, root / "home")]
    assert modes == [0o755, 0o644, 0o755]
