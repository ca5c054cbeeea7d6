import pytest

from seedbed.labels import rows_text, wrapped


@pytest.mark.parametrize(
    "rows, text",
    [
        ([], ""),
        ([4], "4"),
        ([1, 2, 3, 5], "1-3, 5"),
        ([7, 6], "6-7"),
        ([2, 2, 9, 10, 4], "2, 4, 9-10"),
    ],
)
def test_rows_text(rows, text):
    assert rows_text(rows) == text


@pytest.mark.parametrize(
    "text, width, lines",
    [
        ("early spring carrots", 12, ["early spring", "carrots"]),
        ("strawberries and peas", 8, ["strawbe.", "and peas"]),
        ("", 5, []),
        ("a  b   c", 5, ["a b c"]),
        ("a b cd", 3, ["a b", "cd"]),
        ("ab cd", 4, ["ab", "cd"]),
    ],
)
def test_wrapped(text, width, lines):
    assert wrapped(text, width) == lines
