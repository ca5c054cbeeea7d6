"""A small Java file of a project, and the task of one of its methods."""

import json
from pathlib import Path
from typing import Any

from evaluation.engine.families.realcode_java import FAMILY
from evaluation.engine.records import Prepared, Project, Task

FILE = "src/main/java/org/kitchen/Shelf.java"
LEFT = """package org.kitchen;

import java.util.ArrayList;
import java.util.List;

public class Shelf {

    private final List<String> jars = new ArrayList<>();

    /** Puts a jar {@code label} on the shelf; don't forget its lid. */
    public int put(String label, int count) {
"""
GT = """        for (int i = 0; i < count; i++) {
            jars.add("{" + label + "}"); // }
        }
        return jars.size();
    }"""
STUB = """        return 0;
    }"""
RIGHT = """

    public void clear() {
        jars.clear();
    }

}
"""
ORIGINAL = LEFT + GT + RIGHT


def record(id: Any = 1, **changed: Any) -> dict[str, Any]:
    """A task as the file has it; `changed` replaces fields of `meta`."""
    meta = {
        "id": id,
        "repo": "kitchen/shelf",
        "base_commit": "0123456789abcdef0123456789abcdef01234567",
        "gt": GT,
        "stub": STUB,
        "left_context": LEFT,
        "right_context": RIGHT,
        "image_name": "maven:3.9.9-eclipse-temurin-23-alpine",
        "build_command": "",
        "test_command": "mvn test",
        "file_path": FILE,
        "PASS_TO_PASS": ["org.kitchen.ShelfTest::puts"],
        "FAIL_TO_PASS": [],
        "intent": "put[function]",
        "intent_type": "function",
    } | changed
    return {
        "instruction": "Допиши тело {в скобках}:\n{left_context}",
        "inputs": {"left_context": meta["left_context"]},
        "outputs": GT,
        "meta": meta,
    }


def load(tmp_path: Path, **changed: Any) -> Task:
    path = tmp_path / "one.json"
    path.write_text(json.dumps([record(**changed)]), "utf-8")
    (task,) = FAMILY.load_tasks(path, None)
    return task


def prepared(project: Project, text: str = ORIGINAL) -> Prepared:
    """The project as if it had been prepared, with its file."""
    texts = {FILE: text}
    return Prepared(project, "k", "prepared:k", "d", "maven", "/workspace/shelf", 1, texts)
