"""What the builder needs to know of a language: how it is cut, and which format tasks have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.builder import java_bodies, python_bodies
from evaluation.builder.cuts import Found

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
    """family: whose format the tasks have. path: the field that names the file. suffix: of the
    files that are cut. watched: whether a run can tell which functions the tests enter; where
    not they are followed by name. compiled: where no test has run, a stub may not have compiled,
    and says nothing of the function."""

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
