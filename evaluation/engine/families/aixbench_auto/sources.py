"""The Java files and jars of a checkout: shared ones, and each task's own."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping

from evaluation.engine.families.aixbench_auto.checkout import Checkout
from evaluation.engine.families.aixbench_auto.declarations import Declaration, Kind, declarations
from evaluation.engine.families.aixbench_auto.kit import Kit
from evaluation.engine.java_tokens import tokens

JAVA, RESOURCES, JARS = "src/main/java", "src/main/resources", "lib"
_HOME = f"{JAVA}/com/aixcode/autoTest"
_EVALUATIONS = f"{_HOME}/evaluation"
HELPERS = f"{JAVA}/com/aixcode/sampleHelper"
_OWN = "com.aixcode."
BASE = f"{_HOME}/GenerateMethodBase.java"
_BASE_EVALUATION = f"{_HOME}/AbstractBaseEvaluation.java"
# Imports added to those of the base class (README.md, "Predictions"). java.sql is excluded: its
# Date clashes with java.util's.
_ON_DEMAND = (
    *("java.io", "java.math", "java.net", "java.nio", "java.nio.charset", "java.nio.file"),
    *("java.security", "java.text", "java.time", "java.util.concurrent", "java.util.function"),
    *("java.util.regex", "java.util.stream", "java.util.zip"),
)
_OF_JARS = ("com.google.gson", "com.fasterxml.jackson.databind")
_EVALUATION = re.compile(r"Evaluation(0|[1-9][0-9]{0,8})")


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
    return next((one for one in classes if one.has("public") and one.name == name), None)


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
    return [one.names for one in declarations(tokens(text)) if one.kind is Kind.IMPORT]


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
    own = [f"import {name};" for name in _imported(kit.sources.get(BASE, ""))]
    there = {package for jar in kit.jars.values() for package in _packages(jar) or ()}
    on_demand = [*_ON_DEMAND, *(package for package in _OF_JARS if package in there)]
    return [*own, *(f"import {package}.*;" for package in on_demand)]


def base_methods(checkout: Checkout, kit: Kit) -> frozenset[tuple[str, int]]:
    """The name and the number of parameters of each method of GenerateMethodBase."""
    base_tokens = tokens(kit.sources.get(BASE, ""))
    base = _public_class(list(declarations(base_tokens)), "GenerateMethodBase")
    if base is None:
        if BASE in kit.sources:
            checkout.tell(BASE, "it holds no public class GenerateMethodBase")
        return frozenset()
    members = declarations(base_tokens, base.body or 0)
    return frozenset((one.name, one.parameters) for one in members if one.kind is Kind.METHOD)
