"""`manage.py rotate_receipt_key`: replaces the key that signs receipts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.scores.receipt_keys import rotate_key


class Command(BaseCommand):
    help = "Makes a new key for receipts. Receipts that exist stay valid."

    def handle(self, *_args: Any, **_options: Any) -> None:
        rotate_key()
