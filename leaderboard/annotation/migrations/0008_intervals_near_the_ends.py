"""Has every campaign's results made again: intervals over raters and of agreement are others."""

from __future__ import annotations

from django.db import migrations
from django.db.models import F


def make_again(apps, _schema):
    campaigns = apps.get_model("annotation", "Campaign").objects.exclude(state="preparing")
    campaigns.update(wanted=F("wanted") + 1)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0007_variance_between_raters"),
        ("scores", "0014_metrics_version"),
    ]
    operations = [migrations.RunPython(make_again, migrations.RunPython.noop)]
