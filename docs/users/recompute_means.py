#!/usr/bin/env python3
"""Compares two entrants over several benchmarks again, from the matrices of their boards.

    python recompute_means.py FIRST SECOND board-matrix.zip ... [--part language=java]

FIRST and SECOND are names of entrants, or the ends of their addresses. Needs recompute_board.py
beside it, numpy and scipy. Several zips of one benchmark are its settings. Prints the mean of the
differences, its 95 % interval and p, without a correction for several pairs, as JSON.

SPDX-License-Identifier: Apache-2.0
Use, change and share it under the Apache License, Version 2.0. There is no warranty.
"""

import argparse
import json
import sys
from math import sqrt
from pathlib import Path

import numpy as np
from scipy.special import stdtr

sys.path.insert(0, str(Path(__file__).parent))
import recompute_board as board


def limited(matrix, part):
    """The matrix with the tasks that have this value."""
    name, value = part.split("=", 1)
    there = {task for task, row in matrix.tasks.items() if row[name] == value}
    for key, slots in matrix.results.items():
        matrix.results[key] = {slot: one for slot, one in slots.items() if slot[0] in there}


def submission_of(matrix, entrant):
    rows = [r for r in matrix.board["rows"] if entrant in (r["entrant"], r["entrant_slug"])]
    if len(rows) != 1:
        slugs = ", ".join(row["entrant_slug"] for row in rows)
        sys.exit(f"{matrix.board['benchmark']}: {len(rows)} entrants are {entrant!r}. {slugs}")
    return rows[0]["submission"]


def of_benchmark(matrices, entrants):
    """The difference on one benchmark, its variance, and the degrees of freedom."""
    by_task = [
        board.table_of(one, [submission_of(one, entrant) for entrant in entrants])
        for one in matrices
    ]
    counts = by_task[0][2]
    # A setting is a place: the score is the mean over them.
    tasks, task_sizes = (np.concatenate([one[n] for one in by_task], axis=2) for n in (0, 1))
    totals, sizes = (board.summed(one, counts, 1) for one in (tasks, task_sizes))
    clusters = totals.shape[1]
    scores = board.published(totals.sum(axis=1), sizes.sum(axis=1))
    left = (one.sum(axis=1, keepdims=True) - one for one in (totals, sizes))
    effects = np.subtract(*(board.published(*left) - scores[:, None]))
    apart = np.subtract(*board.contributions(totals, sizes))
    shares = (task_sizes[..., 0] / task_sizes[..., 0].sum(axis=1, keepdims=True)).mean(axis=0)
    spread = board.variance(
        apart,
        np.subtract(*board.contributions(tasks, task_sizes)),
        shares,
        counts if totals.shape[2] == 1 and counts.max() > 1 else None,
        board.mean_size(sizes).mean(),
        board.mean_size(task_sizes).mean(),
    )
    scale = (clusters - 1) / clusters
    variance = scale * (effects**2).sum() + (spread - (apart**2).sum()) / scale
    reached = sizes.mean(axis=0)
    return scores[0] - scores[1], variance, board.degrees((reached / reached.sum(axis=0)).mean(1))


def main():
    words = argparse.ArgumentParser(description="Compares two entrants over several benchmarks.")
    words.add_argument("entrants", nargs=2)
    words.add_argument("files", nargs="+", type=Path)
    words.add_argument("--part")
    arguments = words.parse_args()
    by_benchmark = {}
    for path in arguments.files:
        matrix = board.Matrix(path)
        if arguments.part:
            limited(matrix, arguments.part)
        by_benchmark.setdefault(matrix.board["benchmark"], []).append(matrix)
    found = [of_benchmark(own, arguments.entrants) for own in by_benchmark.values()]
    values, variances, freedoms = map(np.array, zip(*found, strict=True))
    value, error = values.mean(), sqrt(variances.sum()) / len(values)
    degrees = variances.sum() ** 2 / (variances**2 / freedoms).sum()
    half = board.t_quantile(degrees) * error
    p = 2 * stdtr(degrees, -abs(value) / error) if error else 1.0
    numbers = {"difference": value, "low": max(-1, value - half), "high": min(1, value + half)}
    print(json.dumps({name: float(number) for name, number in {**numbers, "p": p}.items()}))


if __name__ == "__main__":
    main()
