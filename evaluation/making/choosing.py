"""Selects the functions of a project that are tried, and their order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import PurePosixPath

from evaluation.making.cuts import Cut, Function, Uncut, encodable
from evaluation.making.java_bodies import names_in

_TEST_FOLDERS = {"test", "tests"}


def is_test(path: str) -> bool:
    *folders, name = PurePosixPath(path).parts
    stem = PurePosixPath(name).stem
    pytest_file = name == "conftest.py" or (
        name.endswith(".py") and (stem.startswith("test_") or stem.endswith("_test"))
    )
    return pytest_file or not _TEST_FOLDERS.isdisjoint(folders)


def functions(
    texts: Mapping[str, str], suffix: str, cut: Callable[[str], list[Function]]
) -> tuple[list[Cut], list[Uncut]]:
    """The product's functions that can be cut out, and the others; by path and line."""
    every = [
        replace(function, path=path)
        for path in sorted(texts)
        # A task cannot hold a file name that is not UTF-8.
        if path.endswith(suffix) and not is_test(path) and encodable(path)
        for function in cut(texts[path])
    ]
    cuts = [function for function in every if isinstance(function, Cut)]
    return cuts, [function for function in every if isinstance(function, Uncut)]


def spread(candidates: Iterable[Cut], seed: str) -> list[Cut]:
    """The first n come from as many files as possible; `seed` decides the order."""

    def order(candidate: Cut) -> str:
        place = f"{seed}\0{candidate.path}\0{candidate.line}"
        return hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()

    files: dict[str, list[Cut]] = {}
    for candidate in sorted(candidates, key=order):
        files.setdefault(candidate.path, []).append(candidate)
    in_turn = chain.from_iterable(zip_longest(*files.values()))
    return [candidate for candidate in in_turn if candidate is not None]


def named_by_tests(candidates: Sequence[Cut], texts: Mapping[str, str]) -> list[Cut]:
    """Candidates whose name occurs in the tests or, transitively, in the body of such a
    candidate. Includes too many rather than too few: other code may call an annotated function
    (`@Override`)."""
    names = {name for path, text in texts.items() if is_test(path) for name in names_in(text)}
    near = [
        candidate
        for candidate in candidates
        if candidate.name in names or "@" in candidate.left.split("\n", candidate.top - 1)[-1]
    ]
    places = set[tuple[str, int]]()
    while near:
        places.update(candidate.place for candidate in near)
        names.update(*(candidate.names for candidate in near))
        left = [candidate for candidate in candidates if candidate.place not in places]
        near = [candidate for candidate in left if candidate.name in names]
    return [candidate for candidate in candidates if candidate.place in places]
