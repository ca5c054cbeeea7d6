from __future__ import annotations

from typing import ClassVar

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F


def one_for_each_generation(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """Until now there were no further sets of tests."""
    apps.get_model("evaluation", "Chunk").objects.update(runs=F("size"))


class Migration(migrations.Migration):
    dependencies: ClassVar = [("evaluation", "0002_references")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="chunk",
            name="runs",
            field=models.PositiveIntegerField(default=0, verbose_name="runs"),
            preserve_default=False,
        ),
        migrations.RunPython(one_for_each_generation, migrations.RunPython.noop),
    ]
