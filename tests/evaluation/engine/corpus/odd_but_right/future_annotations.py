# task: scale_list
# why: has a future import as its first line
from __future__ import annotations


def scale_list(numbers: list[int], factor: Undefined) -> list[int]:  # noqa: F821
    return [n * factor for n in numbers]
