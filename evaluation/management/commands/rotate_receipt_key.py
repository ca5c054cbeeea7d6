"""`manage.py rotate_receipt_key`: replaces the key that signs receipts."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.scores.receipt_keys import WrongKey, rotate_key


class Command(BaseCommand):
    help = "Makes a new key for receipts. Receipts that exist stay valid."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--lost", action="store_true", help="nobody has the present key")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            rotate_key(lost=options["lost"])
        except WrongKey as error:
            raise CommandError(str(error)) from error
