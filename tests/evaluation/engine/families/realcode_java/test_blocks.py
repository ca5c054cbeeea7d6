"""The braces that are code, and the end of a block."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.realcode_java import end_of_block
from evaluation.engine.java_tokens import tokens
from tests.support.linear import is_linear

# Lines whose braces, if any, are not code.
QUIET = st.sampled_from(
    [
        '"}"',
        r'"\"}{\\"',
        r"'}'",
        r"'\''",
        r"'\\'",
        r"'\u007d'",
        "'\"'",
        "// } { ' \"",
        "/* } * { \" ' **/",
        "/**/",
        '"""\n}}""{{ \\"""}\n"""',
        '""',
        '"/*"',
        '"//"',
        "// /*",
        "x = a / b * c;",
        "л$1",
    ]
)


@st.composite
def blocks(draw: st.DrawFn, depth: int = 2) -> str:
    """Code whose braces close."""
    inside = QUIET | blocks(depth - 1).map(lambda code: "{\n" + code + "\n}") if depth else QUIET
    return "\n".join(draw(st.lists(inside, max_size=3)))


@given(blocks(), blocks())
def test_a_block_ends_at_its_own_brace(inside: str, after: str) -> None:
    code = f"{inside}\n}}"
    assert end_of_block(tokens(f"{code} {after} }}")) == len(code)


@given(blocks(), blocks())
def test_a_block_without_its_brace_stays_open(one: str, other: str) -> None:
    assert end_of_block(tokens(one)) is None
    assert end_of_block(tokens(f"{one}\n{{\n{other}\n}}\n")) is None


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("}", 1),
        ("{}}", 3),
        ('"\\"} \n}', 7),
        ("'} '}", 2),
        ("/* }", None),
        ("/*/ } */ }", 10),
        ('"""\n\\', None),
        ("// }\r}", 6),
    ],
)
def test_literals_that_are_not_closed_end_somewhere(code: str, end: int | None) -> None:
    assert end_of_block(tokens(code)) == end


@pytest.mark.parametrize("piece", ["/*", '"""', '\\"""', "'", '"', "//", "*", "{", "\\", "'\\u"])
def test_any_repetition_takes_linear_time(piece: str) -> None:
    def stays_open(count: int) -> None:
        assert end_of_block(tokens(piece * count + "\\")) is None

    assert is_linear(stays_open, 40_000)
