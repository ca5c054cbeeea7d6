"""The home page's columns, stored when a board is made and read while they are of the same boards
and rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Any

from django.db import transaction

from leaderboard.accounts.models import Entrant
from leaderboard.pages.boards.overview import Cell, Lack, Means
from leaderboard.pages.boards.queries import Rows
from leaderboard.pages.models import ColumnMeans
from leaderboard.scores.models import Board


def made_of(boards: Collection[Board], rows: Mapping[int, Rows], facts: object) -> str:
    """A digest of everything that the means depend on: the boards, their `rows` that the person
    may see, and the caller's `facts`."""
    known = sorted(
        (one.pk, one.made, one.metric, one.setting, one.revision.benchmark.title, rows.get(one.pk))
        for one in boards
    )
    # The digest includes the names of the cells' fields, since an earlier release stored other
    # fields.
    made = repr((known, facts, Cell._fields))
    return sha256(made.encode("utf-8", "surrogatepass")).hexdigest()


def read(view: str, digest: str) -> dict[str, Means]:
    """The stored means by column; empty if they have another digest. Two queries."""
    rows = ColumnMeans.objects.filter(view=view, made_of=digest)
    stored: dict[str, Any] = dict(rows.values_list("column", "content"))
    entrants = Entrant.objects.in_bulk(
        {cell[0] for content in stored.values() for cell in content["cells"]}
    )
    return {
        column: Means(
            {
                entrants[key]: Cell(
                    value, best, submission, tuple(Lack(*one) for one in lacks), top, low, high
                )
                for key, value, best, submission, lacks, top, low, high in content["cells"]
                if key in entrants
            },
            content["benchmarks"],
        )
        for column, content in stored.items()
    }


def write(view: str, digest: str, means: Mapping[str, Means]) -> None:
    rows = [
        ColumnMeans(view=view, column=column, made_of=digest, content=_content(one))
        for column, one in means.items()
    ]
    with transaction.atomic():
        ColumnMeans.objects.filter(view=view).exclude(column__in=means).delete()
        ColumnMeans.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["view", "column"],
            update_fields=["made_of", "content"],
        )


def _content(means: Means) -> Any:
    return {
        "benchmarks": means.benchmarks,
        "cells": [(entrant.pk, *cell) for entrant, cell in means.cells.items()],
    }
