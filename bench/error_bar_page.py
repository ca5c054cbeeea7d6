"""The table and the chart of docs/users/error-bars.md, made from the CSV files in the folder of its
name. bench_error_bars simulates and writes these files."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from xml.sax.saxutils import escape

from bench import equal_means
from scripts.environment import ROOT

PAGE = ROOT / "docs" / "users" / "error-bars.md"
FOLDER = PAGE.with_suffix("")

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the page: `values` are a row's numbers that have to lie within `bounds`. If
    `label` puts a row into a group, the chart shows the groups."""

    file: str
    title: str
    values: Callable[[Row], Sequence[float]]
    bounds: str
    label: Callable[[Row], str] | None = None


def _numbers(*columns: str) -> Callable[[Row], Sequence[float]]:
    return lambda row: [float(row[column]) for column in columns if row[column]]


def _ratios(row: Row) -> list[float]:
    pairs = [(row[f"{part}: shown"], row[f"{part}: true"]) for part in ("tasks", "runs")]
    return [100 * (float(shown) / float(true) - 1) for shown, true in pairs if shown]


CLAIMS = (
    Claim(
        "intervals",
        "[Intervals](metrics.md#intervals) of scores and of means contain the true value",
        _numbers("covered"),
        "at least 93",
        lambda row: row["metric"],
    ),
    Claim(
        "differences",
        "[Intervals of a difference](metrics.md#comparing-two-entrants) contain the true one",
        _numbers("covered"),
        "at least 93",
        lambda row: f"difference of {row['scores']}",
    ),
    Claim(
        "agreement",
        "[Intervals of alpha](metrics.md#ratings-by-people) contain the true one",
        _numbers("covered"),
        "at least 93",
        lambda row: f"alpha, {row['marks']}",
    ),
    Claim(
        "equal",
        "Pairs of equal entrants, unlike in how they fail, that differ at 5 %",
        lambda row: [float(row["differing"])] if int(row["clusters"]) >= equal_means.FROM else [],
        "at most 7",
    ),
    Claim(
        "separations",
        "Boards of equal entrants on which any two are separated",
        _numbers("false"),
        "at most 5",
    ),
    Claim(
        "power",
        "Boards that show the difference that they claim to show in 80 %",
        _numbers("shown"),
        "70 to 90",
    ),
    Claim(
        "parts",
        "Error of the [parts of the standard error](metrics.md#parts-of-the-standard-error)",
        _ratios,
        "-10 to 10",
    ),
    Claim(
        "signs",
        "Boards with a false [sign of memorisation](metrics.md#signs-of-memorisation)",
        _numbers("false"),
        "at most 5",
    ),
    Claim(
        "inverted",
        "Flags of tasks whose tests are right",
        _numbers("false"),
        "at most 5",
    ),
)
# The bound of the claims in the chart.
_BOUND = 93.0


def _rows(claim: Claim) -> list[Row]:
    with (FOLDER / f"{claim.file}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def groups() -> dict[str, list[float]]:
    """The figures of the claims with groups, by group."""
    values: dict[str, list[float]] = {}
    for claim in CLAIMS:
        for row in _rows(claim) if claim.label else ():
            values.setdefault(claim.label(row), []).extend(claim.values(row))
    return {label: numbers for label, numbers in values.items() if numbers}


def table() -> str:
    lines = [
        "| claim | bound, % | lowest | median | highest | figures |",
        "|---|---|---|---|---|---|",
    ]
    for claim in CLAIMS:
        values = [value for row in _rows(claim) for value in claim.values(row)]
        numbers = [f"{value:.1f}" for value in (min(values), median(values), max(values))]
        link = f"[{len(values):,}]({FOLDER.name}/{claim.file}.csv)"
        lines.append(f"| {' | '.join([claim.title, claim.bounds, *numbers, link])} |")
    return "\n".join(lines) + "\n"


def chart() -> str:
    """An SVG image with a row of dots for each group and a line at the bound."""
    rows = groups()
    values = [value for row in rows.values() for value in row] + [_BOUND]
    low, high = min(values), max(values)
    left, width, step = 390, 400, 18
    bottom = step * len(rows) + 10

    def x(value: float) -> str:
        return f"{left + width * (value - low) / (high - low):.1f}"

    parts = [f'<path d="M{x(_BOUND)} 4V{bottom}" stroke="#c33" stroke-dasharray="4 3"/>']
    for place, (label, row) in enumerate(rows.items()):
        y = step * place + 16
        parts.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{escape(label)}</text>')
        dots = sorted({x(value) for value in row})
        parts += [f'<circle cx="{dot}" cy="{y}" r="3" fill="#38c" opacity=".5"/>' for dot in dots]
    parts += [
        f'<text x="{x(value)}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>'
        for value in sorted({low, _BOUND, high})
    ]
    parts.append(f'<text x="{left + width}" y="{bottom + 34}" text-anchor="end">covered, %</text>')
    size = f'viewBox="0 0 {left + width + 30} {bottom + 42}"'
    style = 'font-family="sans-serif" font-size="12" fill="#777"'
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>', *parts, "</svg>\n"]
    )


def files() -> dict[str, str]:
    """The page and its chart by path below the folder of the page, with the figures of the CSV
    files."""
    place = re.compile(r"^\|.*\n(?:\|.*\n)*", re.MULTILINE)
    text = place.sub(lambda _found: table(), PAGE.read_text("utf-8"), count=1)
    return {PAGE.name: text, f"{FOLDER.name}/coverage.svg": chart()}


def write() -> None:
    for name, text in files().items():
        (PAGE.parent / name).write_text(text, "utf-8")
