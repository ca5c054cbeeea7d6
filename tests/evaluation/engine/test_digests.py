"""Tests of the digests of folders."""

from pathlib import Path

from evaluation.engine.digests import sha256_of


def test_a_folder_is_known_by_all_that_lies_below_it(tmp_path: Path) -> None:
    def digest(*names: str, text: str = "1") -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return sha256_of(folder)

    assert digest("a/b/c", "d") == digest("d", "a/b/c")
    others = [digest("a/c", "d"), digest("d"), digest("a/b/c/x", "d")]
    assert len({digest("a/b/c", "d"), digest("a/b/c", "d", text=""), *others}) == 5
    assert digest("a/b", ".git/index", "a/.idea/x") == digest("a/b")
