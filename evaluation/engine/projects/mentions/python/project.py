"""Tells from the paths of a project's files which ones are its tests."""

from __future__ import annotations

import re
import sys
from functools import lru_cache

# Files that pytest imports. They hold the values that tests expect.
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "unittest", "unittests"})
TEST_FILE = re.compile(r"test_.*|.*_test|conftest")
_NO_LETTERS = re.compile(r"[^a-z]+")


@lru_cache(maxsize=8)
def test_modules(paths: frozenset[str]) -> frozenset[str]:
    """The names by which tests and their helpers may be imported, and the names of their packages:
    from the project's folder, or, as pytest does, from the first folder without an __init__.py."""
    names, others = set(), set(sys.stdlib_module_names)
    for path in (each for each in paths if each.endswith(".py")):
        *folders, name = path.removesuffix(".py").removesuffix("/__init__").split("/")
        if is_of_tests(path):
            first = len(folders)
            while first and "/".join([*folders[:first], "__init__.py"]) in paths:
                first -= 1
            names.add(".".join([*folders[first:], name]))
            parts = [*folders, name]
            inner = next((n for n, part in enumerate(parts) if _is_for_tests(part)), len(parts) - 1)
            names |= {".".join(parts[: end + 1]) for end in range(inner, len(parts))}
        else:
            others.add(".".join([*folders, name]).removeprefix("src."))
    return frozenset(names - others)


def test_names(paths: frozenset[str]) -> frozenset[str]:
    """The last names of test files among the names of test_modules()."""
    names = {name.rpartition(".")[2] for name in test_modules(paths)}
    return frozenset(filter(TEST_FILE.fullmatch, names))


def test_folders(paths: frozenset[str]) -> frozenset[str]:
    folders = {folder for path in paths for folder in path.split("/")[:-1]}
    return frozenset(filter(_is_for_tests, folders))


def is_of_tests(path: str) -> bool:
    *folders, name = path.removesuffix(".py").split("/")
    return bool(TEST_FILE.fullmatch(name)) or any(map(_is_for_tests, folders))


def _is_for_tests(folder: str) -> bool:
    return not _TEST_FOLDERS.isdisjoint(_NO_LETTERS.split(folder.lower()))
