"""The samples that are shipped with families."""

import zipfile
from pathlib import Path

from evaluation.engine.samples import Sample, sample_folder, samples


def test_a_folder_of_files_is_sent_as_a_zip(tmp_path: Path) -> None:
    folder = tmp_path / "willow" / "base"
    folder.mkdir(parents=True)
    for name in ("B1.java", "A0.java"):
        (folder / name).write_text(name)
    (found,) = samples(tmp_path)
    assert found == Sample("willow", "base", folder)
    packed = found.sent_from(tmp_path)
    assert packed.suffix == ".zip"
    assert zipfile.ZipFile(packed).namelist() == ["A0.java", "B1.java"]


def test_a_file_is_sent_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "birch" / "multi_turn.jsonl.gz"
    path.parent.mkdir()
    path.touch()
    (found,) = samples(tmp_path)
    assert found == Sample("birch", "multi_turn", path)
    assert found.sent_from(tmp_path / "nowhere") == path


def test_the_tasks_are_no_predictions() -> None:
    folder = sample_folder("aixbench_auto")
    assert folder is not None
    assert {sample.model for sample in samples(folder)} == {"birch", "rowan", "willow"}
