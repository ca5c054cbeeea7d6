"""The files of a checkout, read within size limits and without following links: each task's own,
and the sources, jars and resources that all tasks share, with their packed form."""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.engine.datasets import Problems
from evaluation.engine.families.aixbench_auto.declarations import Declaration, Kind, declarations
from evaluation.engine.java_tokens import tokens
from evaluation.engine.records import Problem

JAVA, RESOURCES, JARS = "src/main/java", "src/main/resources", "lib"
_HOME = f"{JAVA}/com/aixcode/autoTest"
_EVALUATIONS = f"{_HOME}/evaluation"
HELPERS = f"{JAVA}/com/aixcode/sampleHelper"
_OWN = "com.aixcode."
BASE = f"{_HOME}/GenerateMethodBase.java"
_BASE_EVALUATION = f"{_HOME}/AbstractBaseEvaluation.java"
# Imports added to those of the base class (README.md, "Predictions"). java.sql is excluded: its
# Date clashes with java.util's. The first package with a class of the name counts: java.net has a
# Proxy too, and so precedes java.lang.reflect.
_ON_DEMAND = (
    *("java.io", "java.math", "java.net", "java.nio", "java.nio.charset", "java.nio.file"),
    *("java.security", "java.text", "java.time", "java.util.concurrent", "java.util.function"),
    *("java.util.regex", "java.util.stream", "java.util.zip", "java.util.concurrent.atomic"),
    *("java.util.concurrent.locks", "java.time.format", "java.time.temporal"),
    *("java.lang.reflect", "java.util.logging"),
)
_OF_JARS = ("com.google.gson", "com.fasterxml.jackson.databind")
_EVALUATION = re.compile(r"Evaluation(0|[1-9][0-9]{0,8})")
MIB = 2**20
# Maximum size of a source or tasks file; the benchmark's largest have 22 and 30 KB.
MOST_TEXT = 4 * MIB
_LINK = "a link; links are not followed"
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# Maximum total size; the benchmark's own is 2.3 MB.
MOST_BYTES = 256 * MIB
MOST_FILES = 10_000
_SOURCES, _JARS, _RESOURCES = "sources/", "jars/", "resources/"
# The earliest time in a zip file: the same content makes the same bytes.
_MOMENT = (1980, 1, 1, 0, 0, 0)


def evaluations_of(checkout: Checkout) -> dict[int, str]:
    evaluations = {}
    for path in checkout.directly_in(_EVALUATIONS, ".java"):
        name = path.rpartition("/")[2].removesuffix(".java")
        numbered = _EVALUATION.fullmatch(name)
        if not numbered:
            checkout.tell(path, "the name is not Evaluation and the number of a task")
        elif (text := checkout.text(path)) is not None:
            evaluations[int(numbered[1])] = text
            top = list(declarations(tokens(text)))
            public_class = _public_class(top, name)
            packages = [declared.names for declared in top if declared.kind is Kind.PACKAGE]
            if packages != ["com.aixcode.autoTest.evaluation"]:
                checkout.tell(path, "its package is not com.aixcode.autoTest.evaluation")
            elif public_class is None:
                checkout.tell(path, f"it holds no public class {name}")
            elif "AbstractBaseEvaluation" not in [token.text for token in public_class.words]:
                checkout.tell(path, f"{name} does not extend AbstractBaseEvaluation")
    return evaluations


def _public_class(top: list[Declaration], name: str) -> Declaration | None:
    classes = (declared for declared in top if declared.kind is Kind.CLASS)
    return next((item for item in classes if item.has("public") and item.name == name), None)


def kit_of(checkout: Checkout, evaluations: Mapping[int, str]) -> Kit:
    """The shared files: the classes next to the evaluations, the sample helpers, other classes that
    any of these imports, jars, and resources without the files of tasks and predictions."""
    sources: dict[str, str] = {}
    required = {BASE, _BASE_EVALUATION, *checkout.directly_in(_HOME, ".java")}
    waiting = sorted(required | {*checkout.below(HELPERS, ".java")})
    importing = {f"{_EVALUATIONS}/Evaluation{id}.java": text for id, text in evaluations.items()}
    while waiting or importing:
        for path in waiting:
            if path not in sources and (text := checkout.text(path)) is not None:
                sources[path] = importing[path] = text
        waiting = sorted(
            imported
            for path, text in importing.items()
            for name in _imported(text)
            if (imported := _file_of(checkout, path, name.removeprefix("static ")))
            and imported not in sources
        )
        importing = {}
    data = checkout.directly_in(RESOURCES, ".jsonl")
    resources = [path for path in checkout.below(RESOURCES) if path not in data]
    jars = {path: checkout.content(path) for path in checkout.directly_in(JARS, ".jar")}
    for path, content in jars.items():
        if content is not None and _packages(content) is None:
            checkout.tell(path, "it is not a jar")
    return Kit(
        sources,
        {path.removeprefix(f"{JARS}/"): content for path, content in jars.items() if content},
        {path: content for path in resources if (content := checkout.content(path)) is not None},
    )


def _imported(text: str) -> list[str]:
    return [item.names for item in declarations(tokens(text)) if item.kind is Kind.IMPORT]


def _file_of(checkout: Checkout, importing: str, name: str) -> str:
    """The file of the class that an import names, by itself or by a member; "" if missing."""
    parts = name.split(".")
    paths = [f"{JAVA}/{'/'.join(parts[:n])}" for n in range(len(parts), 0, -1)]
    path = next((f"{path}.java" for path in paths if f"{path}.java" in checkout.paths), "")
    if path.startswith(f"{_EVALUATIONS}/"):
        checkout.tell(importing, f"it imports {name}, which is a task's own")
        return ""
    on_demand = parts[-1] == "*" and checkout.directly_in(paths[1], ".java")
    if name.startswith(_OWN) and not path and not on_demand:
        checkout.tell(importing, f"it imports {name}, which the checkout does not hold")
    return path


def _packages(jar: bytes) -> frozenset[str] | None:
    try:
        with zipfile.ZipFile(io.BytesIO(jar)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
        return None
    classes = (name for name in names if name.endswith(".class"))
    return frozenset(name.rpartition("/")[0].replace("/", ".") for name in classes)


def imports_for(kit: Kit) -> list[str]:
    """The import lines that every class gets. Packages of a jar that the kit lacks are left out:
    they would not compile."""
    lines = [f"import {name};" for name in _imported(kit.sources.get(BASE, ""))]
    there = {package for jar in kit.jars.values() for package in _packages(jar) or ()}
    on_demand = [*_ON_DEMAND, *(package for package in _OF_JARS if package in there)]
    return [*lines, *(f"import {package}.*;" for package in on_demand)]


def base_methods(checkout: Checkout, kit: Kit) -> frozenset[tuple[str, int]]:
    """The name and the number of parameters of each method of GenerateMethodBase."""
    base_tokens = tokens(kit.sources.get(BASE, ""))
    base = _public_class(list(declarations(base_tokens)), "GenerateMethodBase")
    if base is None:
        if BASE in kit.sources:
            checkout.tell(BASE, "it holds no public class GenerateMethodBase")
        return frozenset()
    members = declarations(base_tokens, base.body or 0)
    return frozenset((m.name, m.parameters) for m in members if m.kind is Kind.METHOD)


class Checkout:
    """The regular files below some folders of a checkout. A missing folder counts as empty; faulty
    files are added to the problems."""

    def __init__(self, root: Path, folders: Iterable[str], problems: Problems) -> None:
        self._root = root
        self._problems = problems
        self._left = MOST_BYTES
        self.paths = frozenset(path for folder in folders for path in self._files(folder))

    def tell(self, path: str, sentence: str, line: int | None = None) -> None:
        self._problems.found.append(Problem(sentence, line, member=path))

    def below(self, folder: str, suffix: str = "") -> list[str]:
        return sorted(p for p in self.paths if p.startswith(f"{folder}/") and p.endswith(suffix))

    def directly_in(self, folder: str, suffix: str = "") -> list[str]:
        return [path for path in self.below(folder, suffix) if path.rpartition("/")[0] == folder]

    def text(self, path: str) -> str | None:
        content = self.content(path, MOST_TEXT)
        if content is None:
            return None
        try:
            # javac rejects a byte order mark.
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.tell(path, "not UTF-8", content.count(b"\n", 0, error.start) + 1)
            return None

    def content(self, path: str, most: int = MOST_BYTES) -> bytes | None:
        if path not in self.paths:
            self.tell(path, "the checkout does not contain this file")
            return None
        try:
            with os.fdopen(os.open(self._root / path, _FLAGS), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise ValueError("not a regular file")
                content = file.read(min(most, self._left) + 1)
            if len(content) > min(most, self._left):
                raise ValueError("too large, separately or together with the others")
        except (OSError, ValueError) as error:
            self.tell(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}")
            return None
        self._left -= len(content)
        return content

    def _files(self, folder: str) -> Iterator[str]:
        parts = folder.split("/")
        for above in ("/".join(parts[:n]) for n in range(1, len(parts) + 1)):
            try:
                mode = (self._root / above).lstat().st_mode
            except OSError:
                return
            if stat.S_ISLNK(mode):
                self.tell(above, _LINK)
            if not stat.S_ISDIR(mode):
                return
        waiting, count = [folder], 0
        while waiting:
            inside = waiting.pop()
            with os.scandir(self._root / inside) as entries:
                for entry in entries:
                    count += 1
                    if count > MOST_FILES:
                        self.tell(folder, f"it holds more than {MOST_FILES} files and folders")
                        return
                    path = f"{inside}/{entry.name}"
                    if "\\" in path or not path.isprintable():
                        sentence = "the path contains a character that is not allowed here"
                        self.tell(ascii(path)[1:-1], sentence)
                    elif entry.is_symlink():
                        self.tell(path, _LINK)
                    elif entry.is_dir():
                        waiting.append(path)
                    elif entry.is_file():
                        yield path
                    else:
                        self.tell(path, "neither a file nor a folder")


@dataclass(frozen=True, slots=True)
class Kit:
    """Sources and resources by path in the checkout, jars by name. Evaluations read resources, and
    some of the sources, below their working directory, under these paths."""

    sources: Mapping[str, str]
    jars: Mapping[str, bytes]
    resources: Mapping[str, bytes]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(packed(self)).hexdigest()


def packed(kit: Kit) -> bytes:
    """A reproducible zip archive. Not compressed, because releases of zlib differ."""
    members = {_SOURCES + path: text.encode() for path, text in kit.sources.items()}
    members |= {_JARS + name: content for name, content in kit.jars.items()}
    members |= {_RESOURCES + path: content for path, content in kit.resources.items()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, _MOMENT)
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, members[name])
    return file.getvalue()
