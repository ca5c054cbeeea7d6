from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models

from leaderboard.fields import ExactJSONField

STATES = [
    ("judging", "judging"),
    ("scoring", "being scored"),
    ("done", "done"),
    ("refused", "refused"),
    ("cancelled", "cancelled"),
]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("evaluation", "0003_runs")]

    operations: ClassVar = [
        migrations.AlterField(
            model_name="evaluation",
            name="state",
            field=models.CharField(
                choices=STATES, default="judging", max_length=12, verbose_name="state"
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="departures",
            field=ExactJSONField(blank=True, default=list, editable=False),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="more_departures",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
    ]
