"""The commit that is found for the code and tests of tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from evaluation.engine.projects.locating import SourceSpan
from evaluation.making.sources import Located, locate

CODE = "def f():\n    return 1\n"
PLACE = SourceSpan("m.f", "A/b", "m.py", 3, 4, 4, CODE, ("tests/t.py::test_f",))
HOLDS = {"m.py": f"x = 1\n\n{CODE}", "tests/t.py": "def test_f(): pass\n"}
LACKS = {**HOLDS, "m.py": CODE}
UNTESTED = {**HOLDS, "tests/t.py": "def test_g(): pass\n"}
OTHER = replace(PLACE, task="n.f", path="n.py")

Tree = Mapping[str, str]


@dataclass
class Trees:
    """A history of whole trees by commit, newest first. The text of a blob is also its name."""

    trees: Mapping[str, Tree]
    tagged: Mapping[str, str]

    def tags(self) -> Iterable[tuple[str, str]]:
        return self.tagged.items()

    def commits(self, paths: Sequence[str]) -> Iterable[str]:
        return [name for name, tree in self.trees.items() if tree.keys() & set(paths)]

    def blobs(self, commit: str, paths: Sequence[str]) -> Sequence[str | None]:
        return [self.trees[commit].get(path) for path in paths]

    def text(self, blob: str) -> str:
        return blob


def located(trees: Mapping[str, Tree], *places: SourceSpan, **tags: str) -> Located | None:
    return locate(Trees(trees, tags), places or (PLACE,))


@pytest.mark.parametrize(
    ("trees", "tags", "found"),
    [
        ({"c3": LACKS, "c2": HOLDS, "c1": HOLDS}, {}, Located("c2", "", {}, {})),
        ({"c2": HOLDS, "c1": HOLDS}, {"v1": "c1"}, Located("c1", "v1", {}, {})),
        ({"c2": HOLDS, "c1": UNTESTED}, {"v1": "c1"}, Located("c2", "", {}, {})),
        (
            {"c2": LACKS, "c1": UNTESTED},
            {},
            Located("c1", "", {}, {"m.f": "There is no test_f in tests/t.py."}),
        ),
    ],
    ids=["the newest of all", "a tag first", "no tag that lacks something", "code before tests"],
)
def test_the_newest_commit_that_holds_all_or_lacks_least(
    trees: Mapping[str, Tree], tags: dict[str, str], found: Located
) -> None:
    assert located(trees, **tags) == found


def test_the_commit_that_lacks_least_is_told_with_what_it_lacks() -> None:
    both = {**HOLDS, "n.py": "\n\n\n" + CODE}
    found = located({"c2": HOLDS, "c1": both}, PLACE, OTHER)
    assert found is not None
    assert (found.commit, found.missing) == ("c2", {"n.f": "There is no n.py."})

    assert located({"c1": LACKS, "c0": {}}) is None
