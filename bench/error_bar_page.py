"""The tables and charts of docs/users/error-bars.md, made from the CSV files in the folder of its
name. bench_error_bars simulates and writes these files."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from xml.sax.saxutils import escape

from evaluation.engine.metrics.chances import FEWEST_ENTRANTS
from scripts.environment import ROOT

PAGE = ROOT / "docs" / "users" / "error-bars.md"
FOLDER = PAGE.with_suffix("")

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the page: `label` puts a row of the file into a group, `values` are the row's
    numbers that have to lie within `bounds`."""

    file: str
    axis: str
    label: Callable[[Row], str]
    values: Callable[[Row], Sequence[float]]
    bounds: tuple[float, ...]


def _numbers(*columns: str) -> Callable[[Row], Sequence[float]]:
    return lambda row: [float(row[column]) for column in columns if row[column]]


def _differences(row: Row) -> list[float]:
    if int(row["entrants"]) < FEWEST_ENTRANTS:
        return []
    names = ("best", "top three", "above")
    return [float(row[f"{name}: shown"]) - float(row[f"{name}: true"]) for name in names]


def _ratios(row: Row) -> list[float]:
    pairs = [(row[f"{part}: shown"], row[f"{part}: true"]) for part in ("tasks", "runs")]
    return [100 * (float(shown) / float(true) - 1) for shown, true in pairs if shown]


CLAIMS = (
    Claim("intervals", "covered, %", lambda row: row["metric"], _numbers("covered"), (93.0,)),
    Claim("differences", "covered, %", lambda row: row["scores"], _numbers("covered"), (93.0,)),
    Claim("equal", "differing, %", lambda row: row["design"], _numbers("differing"), (7.0,)),
    Claim("separations", "false, %", lambda row: row["board"], _numbers("false"), (5.0,)),
    Claim("power", "shown, %", lambda row: row["board"], _numbers("shown"), (70.0, 90.0)),
    Claim(
        "ranks",
        "shown - true, points",
        lambda row: f"{row['board']}, {row['entrants']} entrants",
        _differences,
        (-5.0, 5.0),
    ),
    Claim(
        "parts",
        "shown / true - 1, %",
        lambda row: f"{row['metric']}, {row['design']}",
        _ratios,
        (-10.0, 10.0),
    ),
    Claim("signs", "false, %", lambda row: row["sign"], _numbers("false"), (5.0,)),
    Claim(
        "inverted", "false, %", lambda row: f"{row['entrants']} entrants", _numbers("false"), (5.0,)
    ),
    Claim(
        "agreement",
        "covered, %",
        lambda row: f"{row['figure']}, true value {row['true value']}",
        _numbers("covered"),
        (93.0,),
    ),
)


def groups(claim: Claim) -> dict[str, list[float]]:
    values: dict[str, list[float]] = {}
    with (FOLDER / f"{claim.file}.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            values.setdefault(claim.label(row), []).extend(claim.values(row))
    return {label: numbers for label, numbers in values.items() if numbers}


def table(claim: Claim) -> str:
    lines = [f"| {claim.axis} | lowest | median | highest |", "|---|---|---|---|"]
    for label, values in groups(claim).items():
        cells = [f"{value:.1f}" for value in (min(values), median(values), max(values))]
        lines.append(f"| {' | '.join([label, *cells])} |")
    return "\n".join(lines) + "\n"


def chart(claim: Claim) -> str:
    """An SVG image with a row of dots for each group and a line at each bound."""
    rows = groups(claim)
    values = [value for row in rows.values() for value in row] + list(claim.bounds)
    low, high = min(values), max(values)
    left, width, step = 300, 400, 22
    bottom = step * len(rows) + 10

    def x(value: float) -> str:
        return f"{left + width * (value - low) / (high - low):.1f}"

    parts = [
        f'<path d="M{x(bound)} 4V{bottom}" stroke="#c33" stroke-dasharray="4 3"/>'
        for bound in claim.bounds
    ]
    for place, (label, row) in enumerate(rows.items()):
        y = step * place + 16
        parts.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{escape(label)}</text>')
        dots = sorted({x(value) for value in row})
        parts += [f'<circle cx="{dot}" cy="{y}" r="3" fill="#38c" opacity=".5"/>' for dot in dots]
    parts += [
        f'<text x="{x(value)}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>'
        for value in sorted({low, *claim.bounds, high})
    ]
    parts.append(
        f'<text x="{left + width}" y="{bottom + 34}" text-anchor="end">{claim.axis}</text>'
    )
    size = f'viewBox="0 0 {left + width + 30} {bottom + 42}"'
    style = 'font-family="sans-serif" font-size="12" fill="#777"'
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>', *parts, "</svg>\n"]
    )


def files() -> dict[str, str]:
    """The page and its charts by path below the folder of the page, with the figures of the CSV
    files. A claim's table follows its chart."""
    text = PAGE.read_text("utf-8")
    images = {}
    for claim in CLAIMS:
        image = f"{FOLDER.name}/{claim.file}.svg"
        images[image] = chart(claim)
        place = re.compile(rf"(\({re.escape(image)}\)\n\n)(?:\|.*\n)*")
        text = place.sub(lambda found, claim=claim: found[1] + table(claim), text)  # type: ignore[misc]
    return {PAGE.name: text, **images}


def write() -> None:
    for name, text in files().items():
        (PAGE.parent / name).write_text(text, "utf-8")
