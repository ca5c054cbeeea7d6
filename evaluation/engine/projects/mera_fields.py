"""Parsers of the fields of a MERA task inside a project; each raises ValueError.

Names that reach a shell, git or a file system are checked for unsafe values.
"""

from __future__ import annotations

import re
from typing import Any

from evaluation.engine.datasets import any_text, literal

_REPOSITORY = re.compile(r"[\w.-]+(?:/[\w.-]+)*", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{7,64}|")
_IMAGE = re.compile(r"[A-Za-z0-9][\w.:/@-]*", re.ASCII)


def command(name: str, value: Any) -> str:
    return "" if value is None else any_text(name, value)


def text(name: str, value: Any) -> str:
    if not any_text(name, value):
        raise ValueError(f"{name} is empty")
    return str(value)


def code(name: str, value: Any) -> str:
    if not any_text(name, value).strip():
        raise ValueError(f"{name} holds no code")
    return str(value)


def bare_name(name: str, value: Any) -> str:
    bare = text(name, value).partition("[")[0].strip()
    if not bare:
        raise ValueError(f"{name} names nothing")
    return bare


def repository(name: str, value: Any) -> str:
    """ "owner/name", or the path of an operator's source tree."""
    path = text(name, value)
    # A part must be neither a command-line option nor a way out of the folder.
    odd = any(part in (".", "..") or part.startswith("-") for part in path.split("/"))
    if odd or not _REPOSITORY.fullmatch(path):
        raise ValueError(f"{name} is not the name of a repository")
    return path


def commit(name: str, value: Any) -> str:
    """A hash in lower case; "" if the sources are an operator's tree."""
    if not _COMMIT.fullmatch(any_text(name, value).lower()):
        raise ValueError(f"{name} is not the hash of a commit")
    return str(value).lower()


def image(name: str, value: Any) -> str:
    if not _IMAGE.fullmatch(text(name, value)):
        raise ValueError(f"{name} is not the name of an image")
    return str(value)


def file_path(name: str, value: Any) -> str:
    path = text(name, value).removeprefix("./")
    parts = path.split("/")
    if not path or {"", ".", "..", ".git"} & set(parts):
        raise ValueError(f"{name} is not the path of a file in the repository")
    return path


def names(name: str, value: Any) -> list[str]:
    """A list of texts, or a text that holds one in JSON or as a Python literal; [] for none."""
    items = [] if value in (None, "") else value
    if isinstance(items, str):
        try:
            items = literal(items)
        except ValueError:
            raise ValueError(f"{name} is a text but neither JSON nor a literal") from None
    if not isinstance(items, list | tuple) or not all(isinstance(one, str) for one in items):
        raise ValueError(f"{name} is not a list of texts")
    return list(items)
