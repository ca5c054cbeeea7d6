"""Texts that leave the place of their function, and texts that stay there."""

from textwrap import indent

import pytest

from evaluation.engine.families import realcode_java as java
from evaluation.engine.families.codeif_repository import judging
from evaluation.engine.families.realcode import body_of, joined
from evaluation.engine.projects.sources import lines_of
from evaluation.engine.projects.suite import Place
from evaluation.engine.sandbox.inside.pytest_plugin import places

LEFT = """import os


def before(x):
    return x


def total(entries):"""
RIGHT = '''

EMPTY = total([])


class After:
    """A text."""

    def mean(self):
        return "it's"
'''
BODY = Place("lib.py", f"{LEFT}\n", joined("", "", RIGHT).removeprefix("\n"), "    pass", "total")


def fault_of(place: Place, text: str) -> str | None:
    told = place.told(text)
    skeleton = str(told["skeleton"])
    return places.fault(  # type: ignore[no-any-return]
        text.encode(), told["lines"], skeleton.encode(), told["placeholder"], place.name
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x = '\\d'\n", None),
        ("x = 1\nx y\n", "3.11 2 3"),
        ("return", "3.11 1 1"),
        ("\0", "3.11 0 0"),
        ("# coding: foo", "3.11 0 0"),
    ],
)
def test_the_place_where_the_compiler_of_the_project_stops(text: str, place: str | None) -> None:
    assert places.stop(text.encode(), b"pass") == place
    assert places.stop(text.encode(), b"x y") is None


def fault_of_body(generation: str) -> str | None:
    body = body_of(generation, "total", "    return 0").text
    return fault_of(BODY, joined(LEFT, body, RIGHT))


@pytest.mark.parametrize(
    "body",
    [
        "return sum(entries)",
        "    def add(a, b):\n        return a + b\n    return add(*entries)",
        "    try:\n        return 1\n    finally:\n        pass",
        '    """Text."""\n    import os\n\n    # A comment.\n    return [\n        1,\n    ]',
        "    class After:\n        pass\n    global EMPTY\n    EMPTY = 1",
        '    return """\n    text\n    """',
        "    return 'it is no Python",
        "return 1\r\n    return 2\r    return 3",
    ],
)
def test_a_body_that_stays_in_its_function_has_no_fault(body: str) -> None:
    assert fault_of_body(body) is None


@pytest.mark.parametrize(
    "body",
    [
        "    return 0\n    \fEMPTY = 1",
        "    return 0\n    \fdef before(x): return 0",
        "    return (0,\n    0)\n    \f@print\n    \fdef f(): return 0",
        "    return 0\n    \fif 1: EMPTY = 1\n    \felse: EMPTY = 2",
    ],
)
def test_a_form_feed_does_not_end_a_function_unseen(body: str) -> None:
    generation = body_of(body, "total", "    return 0").text
    compile(joined(LEFT, generation, RIGHT), "lib.py", "exec")
    assert fault_of_body(body) == "a statement belongs to another part of the file"


def test_a_text_that_takes_lines_of_the_rest_of_the_file_has_a_fault() -> None:
    after = '\n\nx = 1  # """\n'
    place = Place("lib.py", f"{LEFT}\n", after, "    pass", "total")
    assert fault_of(place, f'{LEFT}\n    y = """{after}') == "it changes the rest of the file"


def test_a_coding_line_does_not_move_statements() -> None:
    place = Place("lib.py", "\n", "\n\nx = 1\n", "pass", "total")
    text = "\n# coding: utf-7\ndef total(e):\n    return 0+AAoACgAK-x = 2\n\nx = 1\n"
    assert fault_of(place, text) is not None


FILE = '''import os


def before(x):
    """The given one."""
    return x


def total(entries):
    return sum(entries)


class After:
    """A text."""

    size = 1

    def half(self):
        return 1

    @property
    def total(self):
        return 1

    @total.setter
    def total(self, value):
        pass

    def mean(self):
        return 1


def after(x):
    return x


@cache
def cached(x):
    return x


try:
    import stored
except ImportError:

    def stored(x):
        return x
'''


def fault_of_completion(completion: str, first: int, last: int) -> str | None:
    before, margin, after = judging.around(FILE, first, last)
    place = Place("lib.py", before, after, f"{margin}pass", "total")
    return fault_of(place, judging.spliced(FILE, first, last, completion))


FUNCTION, METHOD = (9, 10), (21, 23)
TOTAL = "def total(entries):\n    return 0\n"


@pytest.mark.parametrize(
    ("completion", "place"),
    [
        (TOTAL, FUNCTION),
        (f"import re\nfrom os import path\nLIMIT = 1\n\n@wraps\n{TOTAL}", FUNCTION),
        (f"def helper(x):\n    return x\n\n\nclass Helper:\n    pass\n\n\n{TOTAL}", FUNCTION),
        (f"def before(x):\n    'The given one.'\n    return x\n\n\n{TOTAL}", FUNCTION),
        (f"def before(x):\n    return x\n\n\n{TOTAL}", FUNCTION),
        (f"{TOTAL}\nif __name__ == '__main__':\n    print(total([]))\n", FUNCTION),
        ("@property\ndef total(self):\n    return 2\n\ndef _helper(self):\n    pass\n", METHOD),
        # The file's own `after` and `mean` come later and replace these.
        (f"{TOTAL}\ndef after(x):\n    return 0\n", FUNCTION),
        ("def total(self):\n    return 2\n\ndef mean(self):\n    return 2\n", METHOD),
    ],
)
def test_imports_helpers_and_decorators_may_lie_beside_a_function(
    completion: str, place: tuple[int, int]
) -> None:
    assert fault_of_completion(completion, *place) is None


@pytest.mark.parametrize(
    ("completion", "place"),
    [
        (f"{TOTAL}\ndef before(x):\n    return 0\n", FUNCTION),
        (f"{TOTAL}\ndef before(x):\n    'Another.'\n    return x\n", FUNCTION),
        (f"{TOTAL}\nfor before in [id]: pass\n", FUNCTION),
        (f"{TOTAL}\nimport os as before\n", FUNCTION),
        (f"{TOTAL}\nAfter.mean = total\n", FUNCTION),
        (f"{TOTAL}\ndel before\n", FUNCTION),
        (f"{TOTAL}\n@print\n", FUNCTION),
        (f"{TOTAL}\ndef cached(x):\n    return 0\n", FUNCTION),
        (f"{TOTAL}\ndef stored(x):\n    return 0\n", FUNCTION),
        ("def total(self):\n    return 2\n\ndef half(self):\n    return 2\n", METHOD),
    ],
)
def test_a_completion_that_changes_the_rest_of_its_file_is_noted(
    completion: str, place: tuple[int, int]
) -> None:
    compile(judging.spliced(FILE, *place, completion), "lib.py", "exec")
    assert fault_of_completion(completion, *place) is not None


def test_lines_are_counted_as_python_counts_them() -> None:
    text = "a\rb\r\nc\fd\u2028e\n"
    assert len(lines_of(text)) == 3 and lines_of(indent(text, ""))[0] == "a\r"


JAVA_LEFT = "class A {\n    int total() {\n"
JAVA_RIGHT = "\n    int mean() { return '}'; } // }\n}\n"
GT = "        return 0;\n    }"


def java_fault(body: str) -> str:
    return java.fault(body, left_context=JAVA_LEFT, right_context=JAVA_RIGHT, gt=GT)


@pytest.mark.parametrize(
    "body",
    [
        "        return 0;\n    }",
        "        return \"}\".length() + '}' + 0; // }\n    }",
        "        /* } */ if (true) { return 1; }\n        return 0;\n    } // end",
        '        return "\\\\u007d \\u0041".length();\n    }',
        '        return """\n  } "" \\""" """.length();\n    }',
    ],
)
def test_a_java_body_that_ends_its_method_has_no_fault(body: str) -> None:
    assert java_fault(body) == ""


@pytest.mark.parametrize(
    "body",
    [
        "        return 0; \\u007d int more() { return 1;\n    }",
        "        return 0; \\uuu007d static { System.exit(0);\n    }",
        "        return 0;\n    } /* ",
        "        return 0; // \\u000a } static { \n    }",
        '        String s = "\\u0022; } static { String t = \\u0022";\n    }',
        "        return 0;\n    } int more() { return 1; }",
        "        return 0;",
        '        return 0;\n    } """',
    ],
)
def test_a_java_body_that_leaves_its_method_has_a_fault(body: str) -> None:
    assert java_fault(body) != ""
