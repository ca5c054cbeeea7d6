"""`manage.py check_sandbox`: runs the conformance checks of sandboxes on this host."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import docker, selfcheck


class Command(BaseCommand):
    help = "Checks that the sandbox on this host isolates programs, and prints each check."

    def handle(self, *_args: Any, **_options: Any) -> None:
        tell, say, runtime = self.stdout.write, self.stderr.write, settings.SANDBOX_RUNTIME
        try:
            failed = selfcheck.try_all(docker.client(), tell=tell, say=say, runtime=runtime)
        except SandboxError as error:
            raise CommandError(str(error)) from error
        if failed:
            raise CommandError(" ".join(failed))
