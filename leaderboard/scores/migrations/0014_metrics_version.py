"""Editions name the version of the metrics. Has every board made again, so that it names it too."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models import F


def rank_again(apps, _schema):
    apps.get_model("scores", "Board").objects.update(wanted=F("wanted") + 1)


class Migration(migrations.Migration):
    dependencies = [("scores", "0013_chances_again")]
    operations = [
        migrations.AddField(
            model_name="edition",
            name="metrics",
            field=models.CharField(default="", max_length=40),
        ),
        migrations.RunPython(rank_again, migrations.RunPython.noop),
    ]
