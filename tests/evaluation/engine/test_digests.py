"""Tests of the digests of files and folders."""

from pathlib import Path

from evaluation.engine.digests import sha256_of


def test_a_folder_is_known_by_the_names_and_contents_of_its_files(tmp_path: Path) -> None:
    def digest(**files: str) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        return sha256_of(folder)

    assert digest(a="1", b="2") == digest(b="2", a="1")
    others = [digest(a="1", b="3"), digest(a="1", c="2"), digest(a="1"), digest(a="1", b="")]
    assert len({digest(a="1", b="2"), *others}) == 5


def test_a_folder_is_known_by_all_that_lies_below_it(tmp_path: Path) -> None:
    def digest(*files: str) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("1")
        return sha256_of(folder)

    assert digest("a/b/c", "d") == digest("d", "a/b/c")
    assert len({digest("a/b/c", "d"), digest("a/c", "d"), digest("d"), digest("a/b/c/x", "d")}) == 4
    assert digest("a/b", ".git/index", "a/.idea/x") == digest("a/b")
