from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scores", "0009_pairs_and_editions")]
    operations = [
        migrations.AddField(
            model_name="taskresult",
            name="samples",
            field=models.JSONField(default=list, editable=False),
        ),
        migrations.AddField(
            model_name="score",
            name="raters",
            field=models.JSONField(editable=False, null=True),
        ),
    ]
