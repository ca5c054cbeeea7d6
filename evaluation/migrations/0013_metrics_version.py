"""Has every result of tests scored again: parts of standard errors, and intervals of shares above 1,
are stored with the scores. Boards show the present ones until then."""

from __future__ import annotations

from django.db import migrations


def score_again(apps, _schema):
    evaluations = apps.get_model("evaluation", "Evaluation").objects
    judged = evaluations.filter(current=True, state="done", chunks__isnull=False)
    again = evaluations.filter(pk__in=judged.values("pk"))
    again.update(state="judging", lease_until=None, rung=None)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0012_worker_slots"), ("scores", "0014_metrics_version")]
    operations = [migrations.RunPython(score_again, migrations.RunPython.noop)]
