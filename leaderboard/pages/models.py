"""The record of public changes, which tells whether a cached page is current."""

from __future__ import annotations

from django.db import models


class PublicChange(models.Model):
    """A change to rows that pages for visitors show. Database triggers add these rows in the
    transaction of the change and delete the oldest: see triggers.py."""
