"""The builder's languages: how functions are cut, and the format of tasks, which is RealCode's or
RealCodeJava's."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.engine.lines import write_whole
from evaluation.making import java_bodies, python_bodies
from evaluation.making.cuts import Cut, Function

_PYTHON = """\
Ниже начало файла; оно обрывается на заголовке функции.
```python
{left_context}
```
Допишите тело этой функции. Нужно только тело: без заголовка, без других функций, с теми же \
отступами, что в файле. Ответ дайте одним блоком ```python.
"""
_JAVA = """\
Ниже начало файла; оно обрывается на заголовке метода.
```java
{left_context}
```
Допишите тело этого метода. Нужно только тело вместе с закрывающей скобкой: без заголовка, без \
других методов, с теми же отступами, что в файле. Ответ дайте одним блоком ```java.
"""


@dataclass(frozen=True, slots=True)
class Language:
    """family: gives the tasks' format. path: the field with the file's name. watched: whether a run
    reveals the functions that tests enter; otherwise names decide. compiled: whether a stub for
    which no test ran may just not have compiled, and so proves nothing."""

    family: str
    path: str
    suffix: str
    watched: bool
    compiled: bool
    instruction: str
    cut: Callable[[str], list[Function]]


LANGUAGES = {
    "python": Language("realcode", "fn", ".py", True, False, _PYTHON, python_bodies.cut),
    "java": Language("realcode_java", "file_path", ".java", False, True, _JAVA, java_bodies.cut),
}


@dataclass(frozen=True, slots=True)
class Origin:
    repository: str
    commit: str
    image: str
    build_command: str
    test_command: str


def record(
    origin: Origin, language: Language, cut: Cut, number: int, passed: Sequence[str]
) -> dict[str, Any]:
    stub = {"stub": cut.stub} if cut.stub else {}
    return {
        "instruction": language.instruction,
        "inputs": {"left_context": cut.left},
        "outputs": cut.body,
        "meta": {
            "id": number,
            "repo": origin.repository,
            "base_commit": origin.commit,
            "gt": cut.body,
            **stub,
            "right_context": cut.right,
            "left_context": cut.left,
            "image_name": origin.image,
            "build_command": origin.build_command,
            "test_command": origin.test_command,
            language.path: cut.path,
            "PASS_TO_PASS": list(passed),
            "FAIL_TO_PASS": [],
            # The benchmarks' data calls methods "function" too.
            "intent": f"{cut.name}[function]",
            "intent_type": "function",
        },
    }


def write_tasks(path: Path, tasks: Iterable[object]) -> None:
    """Writes all tasks or none, even if the process is killed."""
    write_whole(path, (json.dumps(task, ensure_ascii=False) + "\n" for task in tasks))
