"""Solve rates are stored. Every board is made again, so that all boards have them."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F


def make_again(apps, _schema):
    apps.get_model("scores", "Board").objects.update(wanted=F("wanted") + 1)


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0006_counts_from"), ("scores", "0007_rank_again")]

    operations = [
        migrations.CreateModel(
            name="TaskStatistics",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rate", models.FloatField(null=True)),
                ("n", models.PositiveIntegerField()),
                ("board", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="statistics", to="scores.board")),
                ("task", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="statistics", to="benchmarks.task")),
            ],
            options={
                "verbose_name": "statistics of a task",
                "verbose_name_plural": "statistics of tasks",
                "constraints": [models.UniqueConstraint(fields=("board", "task"), name="one_row_of_a_task")],
            },
        ),
        migrations.RunPython(make_again, migrations.RunPython.noop),
    ]
