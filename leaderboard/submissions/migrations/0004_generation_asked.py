from __future__ import annotations

from typing import ClassVar

from django.db import migrations

from leaderboard.fields import ExactTextField


class Migration(migrations.Migration):
<<<<<<<< HEAD:leaderboard/submissions/migrations/0004_generation_asked.py
    dependencies: ClassVar = [("submissions", "0003_base_completions")]
========
    dependencies: ClassVar = [("submissions", "0002_base_completions")]
>>>>>>>> 2b62436dd0a8e1b09fb43977daea7ec3349c45aa:leaderboard/submissions/migrations/0003_generation_asked.py

    operations: ClassVar = [
        migrations.AddField(
            model_name="generation", name="asked", field=ExactTextField(blank=True, default="")
        ),
    ]
