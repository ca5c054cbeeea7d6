"""Has every campaign's results made again: the variance between raters is estimated otherwise."""

from __future__ import annotations

from django.db import migrations
from django.db.models import F


def make_again(apps, _schema):
    campaigns = apps.get_model("annotation", "Campaign").objects.exclude(state="preparing")
    campaigns.update(wanted=F("wanted") + 1)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0006_no_repeated_index"),
        ("scores", "0013_chances_again"),
    ]
    operations = [migrations.RunPython(make_again, migrations.RunPython.noop)]
