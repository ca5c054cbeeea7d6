"""Staff's decisions to let teams show their generations of a few tasks of a benchmark."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from leaderboard.accounts.models import User
from leaderboard.benchmarks.models import Benchmark, ShownTask, Task

# Over all revisions of a benchmark; a task of several revisions counts once.
MOST = 5


class NotShowable(Exception):
    """The tasks cannot be marked; the text tells staff why."""


@transaction.atomic
def show_tasks(*, tasks: QuerySet[Task], user: User) -> list[ShownTask]:
    """Marks the tasks as shown, all or none. Returns the new marks. Raises NotShowable."""
    keys = list(tasks.order_by().values_list("revision__benchmark", flat=True).distinct())
    # Two decisions at once must not exceed the limit.
    for benchmark in Benchmark.objects.select_for_update().filter(pk__in=keys).order_by("pk"):
        shown = Task.objects.filter(revision__benchmark=benchmark, shown__isnull=False)
        chosen = tasks.filter(revision__benchmark=benchmark)
        ids = {(task.external_id, task.id_is_number) for task in (*shown, *chosen)}
        if not benchmark.shows_output:
            reason = _(
                "Nothing was marked: the tests of %(benchmark)s are hidden, so generations that "
                "pass would be private answers. If its tests are public, turn “entrants see "
                "output” on first, on the benchmark's page."
            )
        elif not Benchmark.objects.showing().filter(pk=benchmark.pk).exists():
            reason = _(
                "Nothing was marked: people rate generations of %(benchmark)s, and they must not "
                "know whose generation they rate."
            )
        elif len(ids) > MOST:
            reason = _(
                "Nothing was marked: at most %(most)d tasks of %(benchmark)s can be shown. Delete "
                "others under “Shown tasks” first."
            )
        else:
            continue
        raise NotShowable(reason % {"benchmark": benchmark.title, "most": MOST})
    return [
        ShownTask.objects.create(task=task, decided_by=user)
        for task in tasks.filter(shown=None).order_by("revision", "number")
    ]
