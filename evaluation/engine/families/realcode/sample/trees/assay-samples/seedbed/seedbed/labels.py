"""Labels for beds."""

from __future__ import annotations


def rows_text(rows: list[int]) -> str:
    """Row numbers for a label: `1-3, 5`. Two rows in succession are a range too."""
    parts = []
    numbers = sorted(set(rows))
    start = 0
    for position in range(1, len(numbers) + 1):
        if position < len(numbers) and numbers[position] == numbers[position - 1] + 1:
            continue
        first, last = numbers[start], numbers[position - 1]
        parts.append(str(first) if first == last else f"{first}-{last}")
        start = position
    return ", ".join(parts)


def wrapped(text: str, width: int) -> list[str]:
    """The words of the text in lines of at most `width` characters. A longer word has a line of
    its own and is cut there, with a full stop as its last character."""
    lines: list[str] = []
    for word in text.split():
        if len(word) > width:
            word = word[: width - 1] + "."
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines
