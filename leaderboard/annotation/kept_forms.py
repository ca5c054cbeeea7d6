"""Forms of raters whose session expired. Anyone may post one, so the database keeps few."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.db.models.functions import Now

from leaderboard.annotation.models import KeptForm

MOST_KEPT = 500
KEPT_DAYS = 7


def keep_form(*, session: str, form: Mapping[str, str]) -> int:
    """Returns the key of the stored form. Deletes the oldest ones of all above MOST_KEPT."""
    values: Any = form  # mypy's plugin infers a text field
    kept = KeptForm.objects.create(session=session, form=values)
    newest = KeptForm.objects.order_by("-pk")[:MOST_KEPT]
    _forget(KeptForm.objects.exclude(pk__in=[*newest.values_list("pk", flat=True)]))
    return kept.pk


def forget_old_forms() -> None:
    _forget(KeptForm.objects.filter(created__lt=Now() - timedelta(days=KEPT_DAYS)))


def _forget(forms: QuerySet[KeptForm]) -> None:
    """Deletes the forms, and the anonymous sessions that have no other form. A session that a
    rater continued by signing in has another key since."""
    keys = dict(forms.values_list("pk", "session"))
    KeptForm.objects.filter(pk__in=keys).delete()
    others = KeptForm.objects.values("session")
    Session.objects.filter(pk__in={*keys.values()}).exclude(pk__in=others).delete()
