from __future__ import annotations

from typing import ClassVar

from django.db import migrations

from leaderboard.fields import ExactTextField


class Migration(migrations.Migration):
    dependencies: ClassVar = [("submissions", "0002_base_completions")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="generation", name="asked", field=ExactTextField(blank=True, default="")
        ),
    ]
