"""The table and the charts of docs/users/error-bars.md, made from the CSV files in the folder of
its name. bench_error_bars simulates and writes these files."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median
from xml.sax.saxutils import escape

from bench import equal_means
from scripts.environment import ROOT

PAGE = ROOT / "docs" / "users" / "error-bars.md"
FOLDER = PAGE.with_suffix("")

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the page: `values` are a row's numbers, in %, that have to lie within the bounds.
    The claim's chart shows them by `label`."""

    file: str
    title: str
    values: Callable[[Row], Sequence[float]]
    label: Callable[[Row], str]
    least: float | None = None
    most: float | None = None

    @property
    def bounds(self) -> str:
        if self.least is None or self.most is None:
            return f"at most {self.most:g}" if self.least is None else f"at least {self.least:g}"
        return f"{self.least:g} to {self.most:g}"


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
        lambda row: row["metric"],
        least=93,
    ),
    Claim(
        "differences",
        "[Intervals of a difference](metrics.md#comparing-two-entrants) contain the true one",
        _numbers("covered"),
        lambda row: f"difference of {row['scores']}",
        least=93,
    ),
    Claim(
        "agreement",
        "[Intervals of alpha](metrics.md#ratings-by-people) contain the true one",
        _numbers("covered"),
        lambda row: f"alpha, {row['marks']}",
        least=93,
    ),
    Claim(
        "equal",
        "Pairs of equal entrants, unlike in how they fail, that differ at 5 %",
        lambda row: [float(row["differing"])] if int(row["clusters"]) >= equal_means.FROM else [],
        lambda row: row["design"],
        most=7,
    ),
    Claim(
        "separations",
        "Boards of equal entrants on which any two are separated",
        _numbers("false"),
        lambda row: row["board"],
        most=5,
    ),
    Claim(
        "power",
        "Boards that show the difference that they claim to show in 80 %",
        _numbers("shown"),
        lambda row: row["board"],
        least=70,
        most=90,
    ),
    Claim(
        "parts",
        "Error of the [parts of the standard error](metrics.md#parts-of-the-standard-error)",
        _ratios,
        lambda row: row["metric"],
        least=-10,
        most=10,
    ),
    Claim(
        "signs",
        "Boards with a false [sign of memorisation](metrics.md#signs-of-memorisation)",
        _numbers("false"),
        lambda row: row["sign"],
        most=5,
    ),
    Claim(
        "inverted",
        "Flags of tasks whose tests are right",
        _numbers("false"),
        lambda row: f"{row['entrants']} entrants by {row['makers']} makers",
        most=5,
    ),
)
# A chart, in pixels: where its dots begin, their width, and the height of a line.
_LEFT, _WIDTH, _LINE = 390, 400, 18


def _rows(claim: Claim) -> list[Row]:
    with (FOLDER / f"{claim.file}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


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


def chart(claim: Claim, top: int) -> tuple[list[str], int]:
    """The parts of an SVG image, from `top` down: a title, a row of dots for each label, lines at
    the bounds and an axis. Returns the bottom, too."""
    rows: dict[str, list[float]] = {}
    for row in _rows(claim):
        if values := claim.values(row):
            rows.setdefault(claim.label(row), []).extend(values)
    bounds = [bound for bound in (claim.least, claim.most) if bound is not None]
    values = [*chain.from_iterable(rows.values()), *bounds]
    low, high = min(values), max(values)
    first, bottom = top + _LINE, top + _LINE * (len(rows) + 1) + 8

    def x(value: float) -> str:
        return f"{_LEFT + _WIDTH * (value - low) / (high - low):.1f}"

    title = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", claim.title)
    parts = [f'<text x="12" y="{top}" font-weight="bold">{escape(title)}, %</text>']
    parts += [
        f'<path d="M{x(bound)} {first - 10}V{bottom}" stroke="#c33" stroke-dasharray="4 3"/>'
        for bound in bounds
    ]
    for place, (label, numbers) in enumerate(rows.items()):
        y = first + _LINE * place
        parts.append(f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(label)}</text>')
        dots = sorted({x(value) for value in numbers})
        parts += [f'<circle cx="{dot}" cy="{y}" r="3" fill="#38c" opacity=".5"/>' for dot in dots]
    parts += [
        f'<text x="{x(value)}" y="{bottom + 14}" text-anchor="middle">{value:g}</text>'
        for value in sorted({low, *bounds, high})
    ]
    return parts, bottom


def image() -> str:
    """An SVG image with the chart of each claim."""
    parts, bottom = [], 0
    for claim in CLAIMS:
        drawn, bottom = chart(claim, bottom + 3 * _LINE)
        parts += drawn
    size = f'viewBox="0 0 {_LEFT + _WIDTH + 30} {bottom + 24}"'
    style = 'font-family="sans-serif" font-size="12" fill="#777"'
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>', *parts, "</svg>\n"]
    )


def files() -> dict[str, str]:
    """The page and its image by path below the folder of the page, with the figures of the CSV
    files."""
    place = re.compile(r"^\|.*\n(?:\|.*\n)*", re.MULTILINE)
    text = place.sub(lambda _found: table(), PAGE.read_text("utf-8"), count=1)
    return {PAGE.name: text, f"{FOLDER.name}/charts.svg": image()}


def write() -> None:
    for name, text in files().items():
        (PAGE.parent / name).write_text(text, "utf-8")
