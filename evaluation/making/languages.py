"""The builder's languages: how functions are cut, and the format of tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.making import java_bodies, python_bodies
from evaluation.making.cuts import Found

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
    cut: Callable[[str], list[Found]]


LANGUAGES = {
    "python": Language("realcode", "fn", ".py", True, False, _PYTHON, python_bodies.cut),
    "java": Language("realcode_java", "file_path", ".java", False, True, _JAVA, java_bodies.cut),
}
