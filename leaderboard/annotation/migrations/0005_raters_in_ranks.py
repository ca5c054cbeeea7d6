"""Has every campaign's results made again: ranks depend on the raters of each mean."""

from __future__ import annotations

from django.db import migrations
from django.db.models import F


def make_again(apps, _schema):
    campaigns = apps.get_model("annotation", "Campaign").objects.exclude(state="preparing")
    campaigns.update(wanted=F("wanted") + 1)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0004_constant_marks"),
        ("scores", "0010_samples_and_raters"),
    ]
    operations = [migrations.RunPython(make_again, migrations.RunPython.noop)]
