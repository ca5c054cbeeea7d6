"""Parts of standard errors; every board is made again, because boards now have chances of ranks."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models import F


def rank_again(apps, _schema):
    apps.get_model("scores", "Board").objects.update(wanted=F("wanted") + 1)


class Migration(migrations.Migration):
    dependencies = [("scores", "0007_rank_again")]
    operations = [
        migrations.AddField("score", "error_tasks", models.FloatField(blank=True, null=True)),
        migrations.AddField("score", "error_runs", models.FloatField(blank=True, null=True)),
        migrations.AddField("score", "defined", models.PositiveIntegerField(blank=True, null=True)),
        migrations.RunPython(rank_again, migrations.RunPython.noop),
    ]
