"""`manage.py check_sandbox`: what any sandbox must survive, tried on this host."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import docker, images, selfcheck


class Command(BaseCommand):
    help = "Tries on this host what a sandbox must survive, and says what held."

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            failed = self._failed()
        except SandboxError as error:
            raise CommandError(str(error)) from error
        if failed:
            raise CommandError(f"{failed} of the checks failed: do not judge here.")
        self.stdout.write("The sandbox holds.")

    def _failed(self) -> int:
        """How many claims did not hold; each is written as it is tried."""
        image = images.ensure(docker.client(), say=self.stderr.write)
        failed = 0
        for check in selfcheck.run(image.reference, settings.SANDBOX_RUNTIME):
            self.stdout.write(f"{'ok  ' if check.held else 'FAIL'} {check.claim}")
            if not check.held:
                failed += 1
                self.stdout.write(f"     {check.seen}")
        return failed
