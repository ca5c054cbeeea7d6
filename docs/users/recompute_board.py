#!/usr/bin/env python3
"""Computes a board's scores, intervals, p-values and ranks again, from its matrix.

    python recompute_board.py board-matrix.zip [--json FILE]

The matrix is the file under "Every result" in a board's downloads. This program reads nothing else
and uses nothing of Assay's: only Python 3.11, numpy and scipy. It prints one line for each row of
the board and compares every number with the published one. Exit status: 0 if all agree to 1e-12,
1 if any differs, 2 if the file is not such a matrix or was written while the board changed. --json
writes all recomputed numbers. The formulas are those of docs/users/metrics.md.

One number is taken from the file as it is: `between_raters` in board.json, on boards that people
rate. It is the variance between raters, with its degrees of freedom, over all generations of a
campaign, and the file has only those on the board.

SPDX-License-Identifier: Apache-2.0
Use, change and share it under the Apache License, Version 2.0. There is no warranty.
"""

import argparse
import csv
import io
import json
import sys
import zipfile
from collections import defaultdict
from math import comb, fsum, inf, sqrt
from pathlib import Path

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit
from scipy.stats import studentized_range

EXACT = 1e-12
FEWEST, UPPER, LEVEL, EXTRA = 6, 0.975, 0.05, 1.5
# Differences below these are rounding errors.
ROUNDING, SAME_WEIGHTS, SINGULAR = 1e-9, 1e-9, 1e-9
POPULATION, LEAST_COMMON = 20, 0.5
OF_RESULT = ("category", "turn")


# --- Reading ------------------------------------------------------------------------------


class Matrix:
    """The parts of the file. `results` and `marks` are rows by submission and metric."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as whole:
            self.board = json.loads(whole.read("board.json"))
            self.tasks = {int(row["task"]): row for row in _rows(whole, "tasks.csv")}
            self.scores = list(_rows(whole, "scores.csv"))
            self.results, self.marks = defaultdict(dict), defaultdict(list)
            for row in _rows(whole, "results.csv"):
                self._add(row)
        self.order = {task: place for place, task in enumerate(self.tasks)}

    def _add(self, row):
        submission, metric, task = int(row["submission"]), row["metric"], int(row["task"])
        if metric in self.board["scales"]:
            self.marks[submission, metric].append(row)
            return
        slots = self.results[submission, metric]
        slot = slots.setdefault((task, row["category"], row["turn"]), [0, 0.0, 0, row["overall"]])
        n, open_ = int(row["n"]), int(row["open"])
        slot[0] += n
        slot[1] += float(row["value"] or 0) * n
        slot[2] += open_

    def cluster(self, task):
        return self.tasks[task]["cluster"]


def _rows(whole, name):
    with whole.open(name) as file:
        yield from csv.DictReader(io.TextIOWrapper(file, "utf-8", newline=""))


# --- Intervals ----------------------------------------------------------------------------


def t_quantile(freedom):
    return float(stdtrit(freedom, UPPER))


def clopper_pearson(passed, n):
    low = betaincinv(passed, n - passed + 1, 1 - UPPER) if passed else 0.0
    high = betaincinv(passed + 1, n - passed, UPPER) if passed < n else 1.0
    return float(low), float(high)


def wilson(share, n, quantile):
    weight = quantile**2 / n
    centre = share + weight / 2
    half = quantile * sqrt(max(0.0, share * (1 - share)) / n + weight / (4 * n))
    return max(0.0, (centre - half) / (1 + weight)), min(1.0, (centre + half) / (1 + weight))


def degrees(weights):
    """Satterthwaite's degrees of freedom of the jackknife's variance."""
    if weights.max() - weights.min() < SAME_WEIGHTS:
        return len(weights) - 1.0
    spread = np.diag(weights) - np.outer(weights, weights)
    leverage = 1 / (1 - weights) ** 2
    return float(leverage @ np.diag(spread)) ** 2 / float(leverage @ spread**2 @ leverage)


def score_interval(totals, sizes, besides=None, passed=1.0):
    """Wilson's interval with an effective number of trials. Rows are clusters, columns places.
    `besides`: a part of the variance that is not between clusters, and the variance of it.
    `passed`: the value of a pass."""
    clusters, reached = len(totals), sizes.sum(axis=0)
    extra = (sizes**2).sum(axis=0) / reached
    padded = np.vstack([totals, 0 * extra, passed * extra])
    padded_sizes = np.vstack([sizes, extra, extra])
    times, every = np.array([1.0] * clusters + [EXTRA] * 2), clusters + 2 * EXTRA
    sums, counts = times @ padded, times @ padded_sizes
    mean = float((sums / counts).mean())
    without = ((sums - padded) / (counts - padded_sizes)).mean(axis=1)
    variance = (1 - 1 / every) * float(times @ (without - mean) ** 2)
    variance /= float((reached / counts).mean())
    freedom = degrees((sizes / reached).mean(axis=1))
    if besides:
        whole = variance + besides[0]
        freedom = 2 * whole**2 / (2 * variance**2 / freedom + besides[1])
        variance = whole
    trials = mean * (1 - mean) / variance
    return wilson(float((totals.sum(axis=0) / reached).mean()), trials, t_quantile(freedom))


def mean_interval(groups):
    """(mean, low, high) over all units; a group has one cluster's units."""
    n = sum(map(len, groups))
    mean = fsum(value for group in groups for value in group) / n
    if len(groups) < FEWEST:
        return mean, None, None
    if all(len(group) == 1 and group[0] in (0, 1) for group in groups):
        return mean, *clopper_pearson(round(mean * n), n)
    top = max(1.0, max(map(max, groups)))
    sums = np.array(sorted((fsum(group) / top, len(group)) for group in groups))
    low, high = score_interval(sums[:, :1], sums[:, 1:], passed=1 / top)
    return mean, min(mean, low * top), max(mean, high * top)


def places_interval(groups):
    """(mean, low, high) over places; a group has one cluster's conversations, by place."""
    totals, sizes = by_place(groups)
    mean = float((totals.sum(axis=0) / sizes.sum(axis=0)).mean())
    if np.count_nonzero(sizes, axis=0).min() < FEWEST:
        return mean, None, None
    low, high = score_interval(totals, sizes)
    return mean, min(mean, low), max(mean, high)


def by_place(groups):
    places = max(len(values) for group in groups for values in group)
    totals, sizes = np.zeros((len(groups), places)), np.zeros((len(groups), places))
    for row, group in enumerate(groups):
        for values in group:
            totals[row, : len(values)] += values
            sizes[row, : len(values)] += 1
    return totals, sizes


# --- Scores -------------------------------------------------------------------------------


def pass_at_k(n, c, k):
    return (comb(n, k) - comb(n - c, k)) / comb(n, k)


def unit(slot, metric, open_value):
    """A slot's contribution if all its open samples have `open_value`."""
    n, total, open_, _overall = slot
    if metric["k"]:
        return pass_at_k(n, round(total) + open_value * open_, metric["k"])
    return total / n + open_value * open_ / n


def in_pairs(slots, metric, open_value):
    """By conversation, the means of turns 1-2, 3-4 and so on."""
    talks = defaultdict(lambda: defaultdict(list))
    for (task, _category, turn), slot in slots.items():
        talks[task][(int(turn) - 1) // 2].append(unit(slot, metric, open_value))
    return {
        task: [fsum(pairs[place]) / len(pairs[place]) for place in sorted(pairs)]
        for task, pairs in talks.items()
    }


def grouped(matrix, pairs):
    found = defaultdict(list)
    for task, value in pairs:
        found[matrix.cluster(task)].append(value)
    return list(found.values())


def estimate(matrix, slots, metric, open_value):
    if metric["paired"]:
        return places_interval(grouped(matrix, in_pairs(slots, metric, open_value).items()))
    values = [(key[0], unit(slot, metric, open_value)) for key, slot in slots.items()]
    if metric["summed"]:
        return fsum(value for _task, value in values), None, None
    return mean_interval(grouped(matrix, values))


def in_slice(matrix, key, slot, name, value):
    if name == "overall":
        return slot[3] == "1"
    if name in OF_RESULT:
        return key[1 + OF_RESULT.index(name)] == value
    return slot[3] == "1" and matrix.tasks[key[0]][name] == value


def score(matrix, row):
    """The recomputed columns of a row of scores.csv, or None if they are withheld."""
    submission, metric = int(row["submission"]), row["metric"]
    if metric in matrix.board["scales"]:
        return panel_score(matrix, submission, metric, row["slice"], row["slice_value"])
    known = matrix.board["metrics"][metric]
    if known["results"] in matrix.board["withheld"]["metrics"]:
        return None
    slots = {
        key: slot
        for key, slot in matrix.results[submission, known["results"]].items()
        if in_slice(matrix, key, slot, row["slice"], row["slice_value"])
    }
    found = {"n": len(slots), "tasks": len({key[0] for key in slots})}
    if not slots or min(slot[0] for slot in slots.values()) < known["k"]:
        return found
    least = estimate(matrix, slots, known, 0)
    if not any(slot[2] for slot in slots.values()):
        return found | dict(zip(("value", "low", "high"), least, strict=True))
    return found | {"least": least[0], "most": estimate(matrix, slots, known, 1)[0]}


# --- Marks of people ----------------------------------------------------------------------


def items_of(matrix, submission, criterion):
    """By generation (task and sample): the marks by rater, and the settling mark if there is one.
    A missing generation has no raters and the lowest mark."""
    found = {}
    for row in matrix.marks[submission, criterion]:
        item = found.setdefault((int(row["task"]), row["sample"]), ({}, {}))
        item[int(row["settles"])][row["rater"]] = float(row["value"])
    return found


def counting(item):
    return item[1] or item[0]


def consensus(item):
    marks = counting(item)
    return sum(marks.values()) / len(marks)


def panel_score(matrix, submission, criterion, name, value):
    if [submission, criterion] in matrix.board["withheld"]["marks"]:
        return None
    top = matrix.board["scales"][criterion]
    items = {
        key: item
        for key, item in items_of(matrix, submission, criterion).items()
        if name == "overall" or matrix.tasks[key[0]][name] == value
    }
    there = sum("" not in item[0] for item in items.values())
    if not there:
        return {"n": 0, "tasks": 0}
    found = {"n": there, "tasks": len({key[0] for key in items})}
    values = [(key[0], (consensus(item) - 1) / (top - 1)) for key, item in items.items()]
    groups = defaultdict(list)
    for task, one in values:
        groups[task].append(one)
    mean, low, high = mean_interval(list(groups.values()))
    bounds = over_raters(items, top) if len(groups) >= FEWEST else None
    low, high = bounds or (low, high)
    return found | {"value": mean, "low": low, "high": high}


def over_raters(items, top):
    """The interval over tasks and raters, or None with too few raters."""
    raters = sorted({rater for item in items.values() for rater in item[0]} - {""})
    table = np.array(
        [[(item[0].get(r, np.nan) - 1) / (top - 1) for r in raters] for item in items.values()]
    )
    spread = rater_spread(table) if raters else None
    # A missing generation counts as marked by somebody of its own.
    missing = sum("" in item[0] for item in items.values())
    if len(raters) + missing < POPULATION or spread is None or spread[2] < POPULATION - 1:
        return None
    values = np.array([(consensus(item) - 1) / (top - 1) for item in items.values()])
    rows = {task: n for n, task in enumerate(dict.fromkeys(task for task, _sample in items))}
    weights = defaultdict(float)
    for place, ((task, _sample), item) in enumerate(items.items()):
        for who in counting(item):
            weights[rows[task], who or place] += 1 / len(counting(item)) / len(items)
    by_rater, count = defaultdict(float), len(rows)
    for (_row, who), weight in weights.items():
        by_rater[who] += weight
    factor = sum(w**2 for w in by_rater.values()) - sum(w**2 for w in weights.values())
    factor *= count / (count - 1)
    if np.ptp(values) < EXACT:
        people = len(raters) + missing
        return wilson(float(values.mean()), min(count, people), float(ndtri(UPPER)))
    places = [rows[task] for task, _sample in items]
    sums = np.column_stack([np.bincount(places, values), np.bincount(places)])
    sums = sums[np.lexsort(sums.T)]
    besides = factor * spread[0], factor**2 * spread[1]
    return score_interval(sums[:, :1], sums[:, 1:], besides)


def rater_spread(marks):
    """The variance between raters by Henderson's method 3, its error, and the rank."""
    marks = marks[(~np.isnan(marks)).sum(axis=1) >= 2]
    given = (~np.isnan(marks)).astype(float)
    sizes = given.sum(axis=1, keepdims=True)
    apart = np.nan_to_num(marks - np.nansum(marks, axis=1, keepdims=True) / sizes)
    roots, vectors = np.linalg.eigh(np.diag(given.sum(axis=0)) - (given / sizes).T @ given)
    linked = roots > SINGULAR
    rank, roots = int(linked.sum()), roots[linked]
    freedom = int(given.sum()) - len(marks) - rank
    if rank < 1 or freedom < 1:
        return None
    between = (((vectors.T @ apart.sum(axis=0))[linked]) ** 2 / roots).sum()
    noise = max(0.0, float((apart**2).sum() - between)) / freedom
    variance = max(0.0, float(between - rank * noise) / roots.sum())
    error = 2 * ((variance * roots + noise) ** 2).sum() + 2 * (rank * noise) ** 2 / freedom
    return variance, float(error / roots.sum() ** 2), rank


# --- Ranks --------------------------------------------------------------------------------


def showing(matrix, submission):
    """The units of a ranked entrant by task, as lists (by place if turns are paired)."""
    metric, scales = matrix.board["metric"], matrix.board["scales"]
    found = defaultdict(list)
    if metric in scales:
        for (task, _sample), item in items_of(matrix, submission, metric).items():
            found[task].append((consensus(item) - 1) / (scales[metric] - 1))
        return found
    known = matrix.board["metrics"][metric]
    slots = matrix.results[submission, known["results"]]
    slots = {key: slot for key, slot in slots.items() if slot[3] == "1"}
    if known["paired"]:
        found = in_pairs(slots, known, 0)
    else:
        for key, slot in slots.items():
            found[key[0]].append(unit(slot, known, 0))
    # More is better in every comparison.
    return {
        task: [1 - one if known["lower"] else one for one in own] for task, own in found.items()
    }


def table_of(matrix, submissions):
    """Sums and numbers of units by entrant, task (in the order of the clusters) and place; and the
    number of tasks of each cluster."""
    shown = [showing(matrix, one) for one in submissions]
    clusters = defaultdict(list)
    for task in sorted(shown[0], key=matrix.order.__getitem__):
        clusters[matrix.cluster(task)].append(task)
    paired = matrix.board["metrics"].get(matrix.board["metric"], {}).get("paired")
    parts = []
    for units in shown:
        tasks = [units[task] for own in clusters.values() for task in own]
        parts.append(by_place([[own] if paired else [[one] for one in own] for own in tasks]))
    places = max(totals.shape[1] for totals, _sizes in parts)
    totals, sizes = (
        np.array([np.pad(one, ((0, 0), (0, places - one.shape[1]))) for one in part])
        for part in zip(*parts, strict=True)
    )
    return totals, sizes, np.array([len(own) for own in clusters.values()])


def published(totals, sizes):
    """The mean over the places that have units, of each one's mean."""
    if totals.shape[-1] == 1:
        return (totals / sizes)[..., 0]
    ratios = np.divide(totals, sizes, out=np.zeros_like(totals), where=sizes > 0)
    return ratios.sum(axis=-1) / (sizes > 0).sum(axis=-1)


def blocks(draws, size):
    return [min(size, draws - start) for start in range(0, draws, size)]


def margin_of(one, other, entrants):
    """The difference between two entrants that their raters alone explain, from each one's weights
    by rater, variance between raters, and degrees of freedom."""
    pairs = [(one[0].get(who, 0.0), other[0].get(who, 0.0)) for who in one[0].keys() | other[0]]
    apart = sum((mine - theirs) ** 2 for mine, theirs in pairs)
    if pairs and apart < EXACT:
        return 0.0
    if one[1] is None or other[1] is None or sum(map(min, pairs)) < LEAST_COMMON:
        return inf
    quantile = studentized_range.ppf(1 - LEVEL, entrants, min(one[2], other[2]))
    return float(quantile) * sqrt(max(one[1], other[1]) / 2 * apart)


def margins(matrix, submissions):
    """The margins of all pairs; None if no people rate."""
    metric = matrix.board["metric"]
    if metric not in matrix.board["scales"]:
        return None
    between = {row["submission"]: row["between_raters"] for row in matrix.board["rows"]}
    panels = []
    for submission in submissions:
        items, weights = items_of(matrix, submission, metric), defaultdict(float)
        for item in items.values():
            for who in counting(item):
                weights[who] += 1 / len(counting(item)) / len(items)
        weights.pop("", None)
        panels.append((weights, *(between[submission] or (None, 0))))
    n = len(panels)
    return np.array([[0.0 if a is b else margin_of(a, b, n) for b in panels] for a in panels])


def contributions(totals, sizes):
    """By entrant and cluster: the cluster's part of the score."""
    shares = sizes[..., 0] / sizes[..., 0].sum(axis=1, keepdims=True)
    if totals.shape[2] == 1:
        return totals[..., 0] / sizes[..., 0].sum(axis=1, keepdims=True)
    scores = published(totals.sum(axis=1), sizes.sum(axis=1))[:, None]
    left = (part.sum(axis=1, keepdims=True) - part for part in (totals, sizes))
    clusters = totals.shape[1]
    return scores * shares - (clusters - 1) / clusters * (published(*left) - scores)


def mean_size(sizes):
    """By entrant: the share of the score of one row of mean size, weighted by size."""
    counts = sizes.sum(axis=1, keepdims=True)
    shares = np.divide(sizes, counts, where=counts > 0, out=0 * sizes)
    return ((shares.sum(axis=2) / (counts > 0).sum(axis=2)) ** 2).sum(axis=1)


def summed(values, counts, axis):
    """The sums over the tasks of each cluster."""
    return np.add.reduceat(values, np.cumsum(counts) - counts, axis=axis)


def likeness(ahead, share, counts):
    """The correlation of the tasks of a cluster in what one entrant is ahead; 1 if not shown."""
    ahead = ahead - ahead.sum() * share
    alone, room = (ahead**2).sum(), (ahead**2 * (np.repeat(counts, counts) - 1)).sum()
    if room <= ROUNDING**2:
        return 1.0
    return min(1.0, max(0.0, ((summed(ahead, counts, 0) ** 2).sum() - alone) / room))


def variance(apart, of_tasks, share, counts, whole, single):
    """The sum of squares, at least that of means which do not depend on the numbers of tasks; and
    what the greatest square in each direction lacks to a cluster of mean size, with the likeness of
    its tasks. `counts` is None if each cluster counts as one task."""
    if counts is None:
        counts, of_tasks, share = np.ones(len(apart), dtype=int), apart, np.ones(len(apart))
    both, shares, lacking = likeness(of_tasks, share, counts), summed(share, counts, 0), 0.0
    spread = both + (1 - both) / counts
    of_means = ((apart / shares) ** 2).sum() / spread.sum()
    squares = max((apart**2).sum(), of_means * (shares**2 * spread).sum())
    for sign in (1, -1):
        alike = likeness(np.maximum(sign * of_tasks, 0.0), share, counts)
        square = whole * (alike * whole + (1 - alike) * single)
        lacking += max(0.0, square - max((sign * apart).max(), 0.0) ** 2)
    return float(squares + lacking)


def joint_p(by_task, totals, sizes, tests, apart):
    """p by random directions, for all pairs at once. `apart` are the margins, or None."""
    parts, counts = contributions(totals, sizes), by_task[2]
    of_tasks = contributions(*by_task[:2])
    shares = by_task[1][..., 0] / by_task[1][..., 0].sum(axis=1, keepdims=True)
    random, clusters = np.random.default_rng(tests["seed"]), totals.shape[1]
    one, other = np.triu_indices(len(parts), 1)
    lengths = np.array(
        [np.sqrt(((parts[i] - parts[j]) ** 2).sum()) for i, j in zip(one, other, strict=True)]
    )
    differing = lengths > 0
    maxima = []
    for draws in blocks(tests["resamples"], tests["block"]):
        directions = random.standard_normal((draws, clusters))
        directions /= np.sqrt((directions**2).sum(axis=1, keepdims=True))
        projected = directions @ parts.T
        for row in projected:
            moved = np.abs(row[one] - row[other])[differing] / lengths[differing]
            maxima.append(moved.max(initial=0.0))
    maxima, wholes, singles = np.sort(maxima), mean_size(sizes), mean_size(by_task[1])
    gaps = np.abs(np.subtract.outer(*2 * [published(totals.sum(axis=1), sizes.sum(axis=1))]))
    if apart is not None:
        gaps = np.sqrt(np.maximum(0.0, gaps**2 - apart**2))
    p = np.ones(gaps.shape)
    for i, j in zip(one, other, strict=True):
        spread = variance(
            parts[i] - parts[j],
            of_tasks[i] - of_tasks[j],
            (shares[i] + shares[j]) / 2,
            counts if totals.shape[2] == 1 and counts.max() > 1 else None,
            (wholes[i] + wholes[j]) / 2,
            (singles[i] + singles[j]) / 2,
        )
        ratio = min(1.0, gaps[i, j] / sqrt(clusters * spread))
        reached = len(maxima) - np.searchsorted(maxima, ratio - ROUNDING)
        p[i, j] = p[j, i] = min(1.0, (reached + 1) / (tests["resamples"] + 1))
    return p


def swap_p(totals, sizes, one, other, tests):
    """p of one pair, by swapping whole clusters."""
    scores = published(totals.sum(axis=1), sizes.sum(axis=1))
    gap, reached = abs(scores[one] - scores[other]) - ROUNDING, 0
    random = np.random.default_rng(tests["seed"])
    for draws in blocks(tests["swaps"], tests["block"]):
        coins = random.integers(2, size=(draws, totals.shape[1])).astype(float)
        ours, theirs = [], []
        for part in (totals, sizes):
            gained = np.tensordot(coins, part[other] - part[one], (1, 0))
            ours.append(part[one].sum(axis=0) + gained)
            theirs.append(part[other].sum(axis=0) - gained)
        reached += int((np.abs(published(*ours) - published(*theirs)) >= gap).sum())
    return (reached + 1) / (tests["swaps"] + 1)


def p_values(by_task, totals, sizes, tests, apart):
    if totals.shape[1] < FEWEST:
        return np.ones((len(totals), len(totals)))
    p = joint_p(by_task, totals, sizes, tests, apart)
    for one, other in zip(*np.nonzero(np.triu(p <= tests["level"], 1)), strict=True):
        both = max(p[one, other], swap_p(totals, sizes, one, other, tests))
        p[one, other] = p[other, one] = both
    np.fill_diagonal(p, 1.0)
    return p


def ranks(matrix):
    """The ranked rows in order, each with its range of ranks and the p of its pair with the first
    row; and the p of all pairs, above the diagonal, row by row."""
    rows = [row for row in matrix.board["rows"] if row["rank_low"] is not None]
    if not rows:
        return [], []
    submissions = [row["submission"] for row in rows]
    tests = matrix.board["tests"]
    by_task = table_of(matrix, submissions)
    totals, sizes = (summed(part, by_task[2], 1) for part in by_task[:2])
    scores = published(totals.sum(axis=1), sizes.sum(axis=1))
    p = p_values(by_task, totals, sizes, tests, margins(matrix, submissions))
    different = p <= tests["level"]
    tested = totals.shape[1] >= FEWEST
    better = (different & (scores[:, None] < scores)).sum(axis=1)
    worse = (different & (scores[:, None] > scores)).sum(axis=1)
    ordered = [
        {
            "submission": submission,
            "rank_low": 1 + int(better[place]),
            "rank_high": len(rows) - int(worse[place]),
            "p": float(p[0, place]) if place and tested else None,
        }
        for place, submission in enumerate(submissions)
    ]
    return ordered, p[np.triu_indices(len(rows), 1)].tolist() if tested else []


# --- Comparing ----------------------------------------------------------------------------


def same(found, shown):
    if found is None or shown is None:
        return found is shown
    return abs(found - shown) <= EXACT * max(1.0, abs(shown))


def compared_scores(matrix, found):
    for row, own in zip(matrix.scores, found, strict=True):
        for name in ("value", "low", "high", "least", "most", "n", "tasks"):
            shown = float(row[name]) if row[name] else None
            if own is not None and not same(own.get(name), shown):
                place = " ".join(row[key] for key in ("submission", "metric", "slice_value"))
                yield f"{place}: {name} is {own.get(name)}, published as {shown}"


def compared_ranks(matrix, found):
    shown = {row["submission"]: row for row in matrix.board["rows"]}
    p = [None, *matrix.board["comparison"].get("p", [])]
    for place, row in enumerate(found):
        wanted = {**shown[row["submission"]], "p": p[place]}
        for name in ("rank_low", "rank_high", "p"):
            if not same(row[name], wanted[name]):
                yield f"{row['submission']}: {name} is {row[name]}, published as {wanted[name]}"


def compared_pairs(matrix, found):
    """The board names no pairs while a row has left since it was made."""
    shown = matrix.board.get("pairs")
    if not shown or not found:
        return
    if len(found) != len(shown):
        yield f"{len(found)} pairs, published are {len(shown)}"
        return
    for number, (own, p) in enumerate(zip(found, shown, strict=True)):
        if not same(own, p):
            yield f"pair {number}: p is {own}, published as {p}"


def compared_rows(matrix):
    """What the rows must have besides equal numbers: every row its scores and results, ranked rows
    the order of their scores, and every settled row a rank."""
    board = matrix.board
    metric, rows = board["metric"], board["rows"]
    overall = {
        (int(row["submission"]), row["metric"]): row["value"]
        for row in matrix.scores
        if row["slice"] == "overall"
    }
    submissions = {row["submission"] for row in rows}
    there = [*overall, *matrix.results, *matrix.marks]
    for submission in sorted({one for one, _metric in there} - submissions):
        yield f"{submission}: has scores or results, and no row"
    scored = {(one, board["metrics"].get(name, {}).get("results", name)) for one, name in overall}
    for submission, name in sorted({*matrix.results, *matrix.marks} - scored):
        yield f"{submission}: has results of {name}, and no score"
    lower = board["metrics"].get(metric, {}).get("lower")
    above, ended = None, False
    for row in rows:
        submission, value = row["submission"], overall.get((row["submission"], metric))
        if value is None and row["has_results"]:
            yield f"{submission}: has no score of {metric}"
        if row["rank_low"] is None:
            ended = True
            if value and row["has_results"]:
                yield f"{submission}: is settled, and has no rank"
            continue
        score = float(value or "nan") * (-1 if lower else 1)
        if ended or (above is not None and not score <= above + EXACT):
            yield f"{submission}: stands below a row with a lower score or without a rank"
        above = score
    ranked = sum(row["rank_low"] is not None for row in rows)
    if len(board["comparison"].get("p", [])) != max(0, ranked - 1):
        yield f"{ranked} rows are ranked, and the p of another number are published"


def may_rank(matrix):
    board = matrix.board
    if board["metric"] in board["scales"]:
        ranked = {row["submission"] for row in board["rows"] if row["rank_low"] is not None}
        withheld = {one for one, scale in board["withheld"]["marks"] if scale == board["metric"]}
        return not ranked & withheld
    results = board["metrics"].get(board["metric"], {}).get("results")
    return results is not None and results not in board["withheld"]["metrics"]


def printed(matrix, scores, ordered):
    places = {row["submission"]: row for row in ordered}
    values = {
        int(row["submission"]): own
        for row, own in zip(matrix.scores, scores, strict=True)
        if row["metric"] == matrix.board["metric"] and row["slice"] == "overall" and own
    }
    for row in matrix.board["rows"]:
        own, place = values.get(row["submission"], {}), places.get(row["submission"], {})
        ends = [own.get(name) for name in ("value", "low", "high")]
        numbers = " ".join("-" if one is None else f"{one:.6f}" for one in ends)
        rank = f"{place.get('rank_low', '-')}-{place.get('rank_high', '-')}"
        print(f"{rank:>9}  {numbers}  p {place.get('p')}  {row['entrant']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("matrix")
    parser.add_argument("--json")
    given = parser.parse_args()
    try:
        matrix = Matrix(given.matrix)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        print(f"{given.matrix} is not a board's matrix: {error}", file=sys.stderr)
        return 2
    if not matrix.board["complete"]:
        print("The board was changing. Download its matrix again in a minute.", file=sys.stderr)
        return 2
    scores = [score(matrix, row) for row in matrix.scores]
    ordered, pairs, lacking = [], [], []
    try:
        if may_rank(matrix):
            ordered, pairs = ranks(matrix)
    except KeyError as error:
        lacking = [f"ranks: some row has no result of task {error}"]
    printed(matrix, scores, ordered)
    if given.json:
        keys = ("submission", "metric", "slice", "slice_value")
        told = [
            {key: row[key] for key in keys} | own
            for row, own in zip(matrix.scores, scores, strict=True)
            if own is not None
        ]
        again = {"scores": told, "rows": ordered, "pairs": pairs}
        Path(given.json).write_text(json.dumps(again), "utf-8")
    differing = [*lacking, *compared_scores(matrix, scores), *compared_ranks(matrix, ordered)]
    differing += [*compared_pairs(matrix, pairs), *compared_rows(matrix)]
    withheld = scores.count(None)
    print(f"{len(scores) - withheld} scores and {len(ordered)} ranks computed again.")
    if withheld:
        print(f"{withheld} scores need results that are not public: {matrix.board['withheld']}")
    if withheld == len(scores) and not ordered:
        print("Nothing could be checked.")
        return 3
    print(*differing, "All agree." if not differing else f"{len(differing)} differ.", sep="\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
