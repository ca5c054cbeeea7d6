"""Tests of figures: their numbers are the engine's, missing values are gaps, texts stay texts."""

import itertools
import re
from base64 import b64decode
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pytest
from django.utils.translation import override

from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.pages.boards.charts import dots, drawing, lines, naming, tasks, theme
from leaderboard.pages.shared.score_words import heat_step
from tests.leaderboard.pages.boards.chart_boards import (
    SIZES,
    chart,
    drawn,
    made,
    of_cells,
)

pytestmark = pytest.mark.any_database


# --- All ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHARTS)
def test_every_figure_has_its_texts_point_by_point_and_its_colours_by_theme(name: str) -> None:
    found = drawn(name, made(25))
    assert set(found) == {"data", "layout", "themes"}
    assert set(found["themes"]) == {"light", "dark"}
    for patch in found["themes"].values():
        lines = [trace for trace in found["data"] if trace["type"] == "scatter"]
        assert len(patch["template"]["layout"]["colorway"]) >= len(lines)
    # No trace has a colour of its own.
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", orjson.dumps(found["data"]).decode()) == []
    # plotly's templates read lists: they show a dash for a text that is set for a whole trace.
    for trace in found["data"]:
        for field in ("text", "customdata"):
            if f"%{{{field}}}" in trace.get("hovertemplate", ""):
                assert not isinstance(trace[field], str), field


# --- pass@k -------------------------------------------------------------------------------


def test_a_k_beyond_someones_samples_is_a_gap_and_not_zero() -> None:
    known = of_cells([(0, 0, 5, 5, 0), (1, 0, 2, 1, 0), (1, 1, 3, 1, 0)], "Marl", "Sprig")
    curves = lines.curves(known.rows, known.samples)
    assert (isnan(curves.at[1, 2]), isnan(curves.at[1, 3])) == (False, True)
    traces = drawn("passk", known)["data"]
    assert traces[1]["x"] == [1, 2]
    assert None not in traces[1]["y"]


def test_an_unsettled_row_and_one_with_single_samples_have_no_curve() -> None:
    known = of_cells([(0, 0, 5, 5, 0), (1, 0, 5, 1, 2)], "Marl", "Sprig")
    assert list(lines.curves(known.rows, known.samples).index) == [0]
    assert CHARTS["passk"](of_cells([(0, 0, 1, 1, 0)], "Marl"), "") is None


def test_a_curve_of_many_samples_has_few_points_and_keeps_its_ends() -> None:
    assert lines.drawn_ks(20) == list(range(1, 21))
    assert lines.drawn_ks(200)[-1] == 200
    assert len(lines.drawn_ks(200)) <= 33
    assert lines.drawn_ks(0) == []


@pytest.mark.parametrize(("entrants", "named"), [(1, 1), (25, 25), (100, 45)])
def test_every_line_has_its_name_at_its_end(entrants: int, named: int) -> None:
    """Six lines have colours of their own; the others are one trace."""
    figure, board = drawn("passk", made(entrants)), made(entrants)
    names = [text["text"] for text in figure["layout"]["annotations"] if text.get("x") == 1]
    assert len(names) == named
    assert sum(trace["y"].count(None) or 1 for trace in figure["data"]) == named
    assert names[0] == board.rows["name"].iloc[0], "the leader"
    assert len({trace["line"]["dash"] for trace in figure["data"][:6]}) == min(6, entrants)
    assert ("45 of 100 entrants" in chart("passk", board).subtitle) == (named < entrants)


def test_names_at_the_ends_keep_apart_and_in_order() -> None:
    """All names are beside the plot, also those of entrants with fewer samples, so that no line
    crosses them; a dotted line leads to them."""
    assert naming.apart([100, 50], 200, gap=13) == [100, 50]
    assert naming.apart([100, 99, 98], 200, gap=13) == [112, 99, 86]
    assert naming.apart([100, 99, 70], 100, gap=13) == [100, 87, 70]
    assert naming.apart([100, 60, 58], 200, gap=13) == [100, 65.5, 52.5]
    assert naming.apart([2, 1, 0], 200, gap=13) == [26, 13, 0]
    counts = [(entrant, task, 2 + 8 * (entrant % 2), 1, 0) for entrant in range(4)
              for task in (0, 1)]  # fmt: skip
    layout = drawn("passk", of_cells(counts, "A", "B", "C", "D"))["layout"]
    assert {(name["xref"], name["x"]) for name in layout["annotations"]} == {("paper", 1)}
    pixels = (drawing.HEIGHTS[""] - 46) / 100
    heights = sorted(name["y"] * pixels - name["ay"] for name in layout["annotations"])
    assert all(above - below >= 12.9 for below, above in itertools.pairwise(heights))
    assert [(line["x0"], line["x1"], line["y0"]) for line in layout["shapes"]] == [(2, 10, 100)] * 2


def words(found: dict[str, Any]) -> list[str]:
    return [text["text"] for text in found["layout"]["annotations"]]


def test_curves_run_between_the_stubs_and_the_reference_solution() -> None:
    found = drawn("passk", made())
    assert [line["y0"] for line in found["layout"]["shapes"]] == [90, 0, 100]
    assert {"human", "stub", "reference solution"} <= set(words(found))
    for patch in found["themes"].values():
        assert patch["template"]["layout"]["shapedefaults"]["line"]["dash"] == "dot"
    # Lines at one height share their words.
    level = [("pass_stub_pass@1", 0.0), ("pass_stub_empty_str@1", 0.0)]
    found = drawn("passk", replace(made(), human=None, references=level))
    assert len(found["layout"]["shapes"]) == 1
    assert "stub, stub that returns an empty text" in words(found)
    assert "shapes" not in drawn("passk", replace(made(), human=None, references=[]))["layout"]


# --- The benchmark's own programs ---------------------------------------------------------


def test_entrants_stand_beside_a_line_for_each_program() -> None:
    found = drawn("references", made(4))
    assert [(line["x0"], line["x1"]) for line in found["layout"]["shapes"]] == [(100, 100), (0, 0)]
    assert len(found["data"][0]["x"]) == 4
    assert words(found)[:4] == list(made(4).rows["name"])
    assert {"stub 0.0", "reference solution 100.0"} <= set(words(found))
    assert len({text.get("yshift", 0) for text in found["layout"]["annotations"][4:]}) == 2
    # More entrants than have room are spread over the board.
    known = made(80)
    points = dots.chosen(known.rows, known.scores)
    assert (len(points), points.index[0], points.index[-1]) == (20, 0, 79)


@pytest.mark.parametrize(
    ("stub", "oracle", "title"),
    [
        (0.0, 1.0, "No stub passes; the reference solution passes every task"),
        (0.1, 1.0, "Comparison with the benchmark's own programs"),
        (0.0, 0.9, "Comparison with the benchmark's own programs"),
    ],
)
def test_the_title_of_the_references_states_what_is_certain(
    stub: float, oracle: float, title: str
) -> None:
    known = replace(made(), references=[("pass_stub_pass@1", stub), ("pass_oracle@1", oracle)])
    assert chart("references", known).title == title
    assert CHARTS["references"](replace(known, references=[]), "") is None


# --- Task grid ----------------------------------------------------------------------------


def test_tasks_stand_by_solve_rate_and_rows_as_on_the_board() -> None:
    """The solve rate is that of ranked rows."""
    known = of_cells([(0, 0, 2, 0, 0), (0, 1, 2, 2, 0), (1, 0, 2, 1, 0), (1, 1, 2, 2, 0)], "B", "A")
    found = drawn("tasks", known)["data"][0]
    assert (found["x"], found["y"]) == (["t1", "t0"], ["B", "A"])
    assert cells(found["z"]) == [[2, 0], [2, 1]]
    assert found["hovertemplate"].startswith("%{y}<br>%{x}: %{z} of 2 right")
    c, n = tasks.grid(known.rows, known.tasks, known.results)
    assert list(tasks.solve_rates(known.rows, c, n)) == [1, 0.25]
    known.rows.loc[1, "place"] = None
    assert list(tasks.solve_rates(known.rows, c, n)) == [1, 0]


def cells(array: dict[str, Any]) -> list[list[int]]:
    shape = [int(size) for size in array["shape"].split(", ")]
    flat = np.frombuffer(b64decode(array["bdata"]), dtype=array["dtype"])
    return flat.reshape(shape).tolist()


def test_rows_and_cells_lead_to_entrants_and_tasks() -> None:
    """Equal names stay rows of their own."""
    known = made(3, 5)
    known.rows.loc[1, "name"] = known.rows["name"].iloc[0]
    found = drawn("tasks", known)
    assert found["data"][0]["y"][:2] == ["Quartz 3 Large", "Quartz 3 Large (2)"]
    layout = found["layout"]
    assert layout["yaxis"]["ticktext"][0] == '<a href="/entrants/entrant-0/">Quartz 3 Large</a>'
    assert layout["meta"]["url"] == "/benchmarks/x/tasks/@/"
    assert sorted(layout["meta"]["numbers"]) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("language", "lines"), [("zh-hans", 1), ("ru", 2)])
def test_the_words_below_the_tasks_have_room_on_a_phone(language: str, lines: int) -> None:
    with override(language):
        layout = drawn("tasks", made(3, 5))["layout"]
    assert len({text["yshift"] for text in layout["annotations"]}) == lines


@pytest.mark.parametrize(("entrants", "named"), [(55, 55), (80, 40), (300, 50)])
def test_without_room_for_all_names_every_nth_row_has_one(entrants: int, named: int) -> None:
    layout = drawn("tasks", made(entrants, 5))["layout"]
    axis, every = layout["yaxis"], entrants // named
    assert len(axis["ticktext"]) == len(axis["tickvals"]) == named
    assert f"/entrants/entrant-{every}/" in axis["ticktext"][1]
    assert axis["showticklabels"] and layout["margin"]["l"] > 0


def test_what_is_missing_or_unsettled_is_a_gap_and_hatched() -> None:
    known = of_cells([(0, 0, 2, 0, 0), (0, 1, 2, 2, 0), (1, 0, 2, 1, 1)], "B", "A")
    heat, hatched = drawn("tasks", known)["data"]
    assert heat["z"] == [[2, 0], [None, None]]
    assert (hatched["y"], hatched["base"], hatched["x"]) == ([1], [-0.5], [2])
    pattern = theme.template("dark", ["accent"])["data"]["bar"][0]["marker"]["pattern"]
    assert pattern["shape"] == "/"


def test_with_unequal_samples_every_cell_says_of_how_many() -> None:
    known = of_cells([(0, 0, 10, 1, 0), (1, 0, 1, 1, 0)], "B", "A")
    found = drawn("tasks", known)["data"][0]
    assert (cells(found["z"]), cells(found["customdata"]), cells(found["text"])) == (
        [[1], [6]],
        [[1], [1]],
        [[10], [1]],
    )


@pytest.mark.parametrize("n", [1, 3, 6, 10])
def test_cells_have_the_colours_of_the_tables_heat_cells(n: int) -> None:
    steps = tasks.heat_steps(np.arange(n + 1), np.full(n + 1, n))
    assert list(steps) == [0, *(heat_step(c / n) for c in range(1, n + 1))]


def test_a_hundred_entrants_on_a_thousand_tasks_are_some_200_kilobytes_at_most() -> None:
    assert len(chart("tasks", made(100, 1_000)).figure().json()) < 200_000


# --- Breakdown ----------------------------------------------------------------------------


def slices(*rows: tuple[int, str, str, float | None]) -> pd.DataFrame:
    """Scores with intervals of a tenth to both sides."""
    scores = pd.DataFrame(rows, columns=["evaluation", "slice", "slice_value", "value"])
    scores["value"] = scores["value"].astype(float)
    return scores.assign(low=scores["value"] - 0.1, high=scores["value"] + 0.1)


def test_the_slice_with_most_values_comes_first_and_one_value_is_none() -> None:
    scores = slices(
        (0, "language", "python", 0.5),
        (0, "level", "L-1", 0.5),
        (0, "level", "L-2", 0.5),
        (0, "category", "a", 0.1),
        (0, "category", "b", 0.2),
        (0, "category", "c", 0.3),
        (0, "turn", "0", None),
        (0, "turn", "1", 0.3),
    )
    assert dots.kinds(scores) == ["category", "level"]
    assert dots.kind_of(scores, "level") == "level"
    assert dots.kind_of(scores, "language") == "category"
    assert dots.kind_of(slices(), "") is None


def test_a_slice_without_a_score_is_a_gap_and_intervals_are_around_the_dots() -> None:
    scores = slices((0, "level", "a", 0.5), (0, "level", "b", 0.25), (1, "level", "b", 0.75))
    scores.loc[0, "high"] = 0.65
    known = replace(of_cells([(0, 0, 1, 1, 0)], "Marl", "Sprig"), scores=scores)
    first, second = drawn("breakdown", known)["data"]
    assert first["x"] == [50, 25]
    assert second["x"] == [None, 75]
    arms = first["error_x"]
    assert (arms["array"], arms["arrayminus"]) == ([15, 10], [10, 10])


def test_turns_are_in_order_where_the_first_entrant_lacks_the_first_one() -> None:
    rows = [(0, turn) for turn in range(1, 11)] + [(1, turn) for turn in range(3)]
    scores = slices(*((entrant, "turn", str(turn), 0.5) for entrant, turn in rows))
    parts = dots.parts(pd.DataFrame({"name": ["Marl", "Sprig"]}), scores, "turn")
    assert list(parts.index.unique("slice_value")) == [str(turn) for turn in range(11)]


# --- Size and time ------------------------------------------------------------------------


def test_score_against_size_leaves_out_unknown_sizes_and_scores() -> None:
    known = made()
    known.scores.loc[known.scores["evaluation"] == 1, "value"] = None
    assert drawn("size", known)["data"][0]["x"] == sorted(size for size in SIZES[2:] if size)


def test_a_chart_needs_three_sizes_numbers_of_tokens_or_prices_or_two_days() -> None:
    known = made(3)
    known.rows["parameters"] = [1.0, 2.0, 3.0]
    known.rows.loc[1, "published"] = known.rows["published"].iloc[0]
    for name in ("size", "tokens", "cost", "time"):
        assert CHARTS[name](known, "") is not None
    assert drawn("time", known)["layout"]["xaxis"]["type"] == "date"
    known.rows["parameters"] = [1.0, 2.0, 2.0]
    known.rows["published"] = known.rows["published"].iloc[0]
    known = replace(known, stated=known.stated * 0 + 300)
    for name in ("size", "tokens", "cost", "time"):
        assert CHARTS[name](known, "") is None


@pytest.mark.parametrize("name", ["tokens", "time"])
def test_the_step_line_never_falls(name: str) -> None:
    _dots, best = drawn(name, made())["data"]
    assert best["y"] == sorted(best["y"])
    assert best["x"][:-1] == sorted(best["x"][:-1])


def test_ticks_of_many_tokens_have_room_on_a_phone() -> None:
    stated = pd.DataFrame({"tokens": [150.0, 900.0, 12_000.0]}).rename_axis("evaluation")
    axis = drawn("tokens", replace(made(3), stated=stated))["layout"]["xaxis"]
    assert (axis["ticktext"], axis["tickangle"]) == (["100", "300", "1,000", "3,000", "10,000"], 0)


def names_of(figure: dict[str, Any]) -> list[dict[str, Any]]:
    return [text for text in figure["layout"]["annotations"] if "ax" in text]


@pytest.mark.parametrize(
    ("name", "entrants"), [("size", 7), ("tokens", 20), ("time", 7), ("time", 40)]
)
def test_every_dot_has_its_name_or_a_number_that_the_line_explains(
    name: str, entrants: int
) -> None:
    board = made(entrants, 20)
    board.rows["name"] = [f"{name} {number}" for number, name in enumerate(board.rows["name"])]
    figure, shown = drawn(name, board), chart(name, board)
    names, rows = [text["text"] for text in names_of(figure)], shown.table().rows
    assert len(names) == len(figure["data"][0]["x"]) == len(rows)
    for text, (whole, *_numbers) in zip(names, rows, strict=True):
        assert text == drawing.shown(whole, 20) or f"{text} {whole}" in shown.subtitle


@pytest.mark.parametrize("entrants", [41, 500])
def test_of_very_many_dots_the_leader_and_others_have_names_and_that_is_said(
    entrants: int,
) -> None:
    board = made(entrants, 20)
    figure = drawn("time", board)
    names = names_of(figure)
    assert 0 < len(names) < entrants
    assert max(figure["data"][0]["y"]) in [name["y"] for name in names]
    assert f"names of {len(names)} of {entrants} entrants" in chart("time", board).subtitle


def offsets(*places: naming.Place, taken: tuple[naming.Box, ...] = (), width: int = 60) -> Any:
    return naming.name_offsets((width,) * len(places), places, taken, 250)


def test_a_name_touches_no_other_and_without_room_above_its_dot_it_is_below() -> None:
    assert offsets((87, 50), (232, 50)) == [(6, 9), (-6, 9)]
    assert len({*offsets((145, 50), (150, 50))}) == 2
    assert offsets((145, 50), width=290) == [None]
    above = naming.Box(0, naming.WIDTH, 60, 90)
    assert offsets((145, 50), taken=(above,)) == [(6, -9)]
    assert offsets((284, 50), taken=(above,)) == [(-6, -9)]
    line = naming.Box(0, naming.WIDTH, 0, 250)
    assert offsets((145, 10), taken=(line,)) == [(6, 9)], "on a line rather than nowhere"


def test_names_at_a_distance_overlap_nothing_at_any_size_of_the_chart() -> None:
    places = tuple((100.0 + 9 * (n % 4), 60.0 + 11 * n) for n in range(12))
    found = offsets(*places)
    assert None not in found
    for wider, higher in ((1, 1), (2, 1), (4, 1.6)):
        boxes = []
        for (x, y), (across, up) in zip(places, found, strict=True):
            left, middle = x * wider + across - 60 * (across < 0), y * higher + up
            boxes.append((left, left + 60, middle - 7, middle + 7))
        for one, other in itertools.combinations(boxes, 2):
            beside = one[1] <= other[0] or other[1] <= one[0]
            assert beside or one[3] <= other[2] or other[3] <= one[2]
