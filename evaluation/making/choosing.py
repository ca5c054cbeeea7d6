"""Selects the functions of a project that are tried, and their order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import PurePosixPath

from evaluation.making.cuts import Cut, Found, Uncut, encodable
from evaluation.making.java_bodies import names_in

_TEST_FOLDERS = {"test", "tests"}


@dataclass(frozen=True, slots=True)
class Candidate:
    path: str
    cut: Cut

    @property
    def place(self) -> tuple[str, int]:
        return self.path, self.cut.line


def is_test(path: str) -> bool:
    *folders, name = PurePosixPath(path).parts
    stem = PurePosixPath(name).stem
    pytest_file = name == "conftest.py" or (
        name.endswith(".py") and (stem.startswith("test_") or stem.endswith("_test"))
    )
    return pytest_file or not _TEST_FOLDERS.isdisjoint(folders)


def functions(
    texts: Mapping[str, str], suffix: str, cut: Callable[[str], list[Found]]
) -> tuple[list[Candidate], list[tuple[str, Uncut]]]:
    """The product's functions that can be cut out, and the others; by path and line."""
    candidates: list[Candidate] = []
    rest: list[tuple[str, Uncut]] = []
    for path in sorted(texts):
        if not path.endswith(suffix) or is_test(path):
            continue
        # A task cannot hold a file name that is not UTF-8.
        for function in cut(texts[path]) if encodable(path) else ():
            if isinstance(function, Cut):
                candidates.append(Candidate(path, function))
            else:
                rest.append((path, function))
    return candidates, rest


def spread(candidates: Iterable[Candidate], seed: str) -> list[Candidate]:
    """The first n come from as many files as possible; `seed` decides the order."""

    def order(candidate: Candidate) -> str:
        place = f"{seed}\0{candidate.path}\0{candidate.cut.line}"
        return hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()

    files: dict[str, list[Candidate]] = {}
    for candidate in sorted(candidates, key=order):
        files.setdefault(candidate.path, []).append(candidate)
    in_turn = chain.from_iterable(zip_longest(*files.values()))
    return [candidate for candidate in in_turn if candidate is not None]


def named_by_tests(candidates: Sequence[Candidate], texts: Mapping[str, str]) -> list[Candidate]:
    """Candidates whose name occurs in the tests or, transitively, in the body of such a
    candidate. Includes too many rather than too few: other code may call an annotated function
    (`@Override`)."""
    names = {name for path, text in texts.items() if is_test(path) for name in names_in(text)}
    near = [
        candidate
        for candidate in candidates
        if candidate.cut.name in names
        or "@" in "\n".join(candidate.cut.left.split("\n")[candidate.cut.top - 1 :])
    ]
    places = set[tuple[str, int]]()
    while near:
        places.update(candidate.place for candidate in near)
        names.update(*(candidate.cut.names for candidate in near))
        left = [candidate for candidate in candidates if candidate.place not in places]
        near = [candidate for candidate in left if candidate.cut.name in names]
    return [candidate for candidate in candidates if candidate.place in places]
