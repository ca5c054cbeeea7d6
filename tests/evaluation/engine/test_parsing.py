"""Threads that parse at the same time do not disturb each other."""

import threading
import time
from collections.abc import Callable

import pytest

from evaluation.engine.parsing import literal_eval, parse

FUNCTION = """
def f{n}(a, b):
    x = [a, b, {{1: (2, 3), 4: [5, 6, {{7: 8}}]}}]
    if a:
        for q in x:
            while q:
                q = -(a + b * (2 - a / (b + 1)))
    return x
"""
PROGRAM = "".join(FUNCTION.format(n=n) for n in range(300))
LITERAL = repr([[[[n, (n, {n: [n]})]]] for n in range(1500)])


class Garbage:
    """Garbage whose finalizer runs wherever the collector does, even during parsing, and lets other
    threads go on."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        time.sleep(0)


@pytest.mark.parametrize(("parser", "text"), [(parse, PROGRAM), (literal_eval, LITERAL)])
def test_threads_parse_at_the_same_time(parser: Callable[[str], object], text: str) -> None:
    wrong: list[SystemError] = []
    deadline = time.monotonic() + 1.2

    def work() -> None:
        while time.monotonic() < deadline and not wrong:
            for _ in range(20):
                Garbage()
            try:
                parser(text)
            except SystemError as error:
                wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_the_parsers_raise_comes_through_and_leaves_nothing_locked() -> None:
    for _ in range(2):
        with pytest.raises(SyntaxError):
            parse("def")
        with pytest.raises(ValueError, match="malformed"):
            literal_eval("open('x')")
    assert literal_eval("(1, 'a')") == (1, "a")
