"""The groups by which pages count and filter verdicts. No queries here."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from evaluation.engine.records import Integrity, Status
from evaluation.state.progress import group_of


@dataclass(frozen=True, slots=True)
class Group:
    """A group by its name in addresses and counts. Status and integrity give it its mark and
    words."""

    name: str
    status: str
    integrity: str = ""

    @property
    def verdicts(self) -> Q:
        """The verdicts that evaluation.state.progress counts in this group."""
        found = Q(pk__in=())
        for status in Status:
            kinds = [one.value for one in Integrity if group_of(status, one) == self.name]
            if kinds:
                found |= Q(status=status.value, integrity__in=kinds)
        return found


GROUPS = (
    Group("passed", Status.PASSED.value),
    Group("wrong", Status.FAILED.value),
    Group("error", Status.RUNTIME_ERROR.value),
    Group("slow", Status.TIMEOUT.value),
    Group("review", Status.PASSED.value, Integrity.SUSPECT.value),
    Group("infrastructure", Status.NOT_RUN.value),
)
BY_NAME = {group.name: group for group in GROUPS}
