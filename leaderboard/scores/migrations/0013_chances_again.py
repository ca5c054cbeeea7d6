"""Has every board made again: chances of ranks are computed in another way, for fewer boards."""

from __future__ import annotations

from django.db import migrations
from django.db.models import F


def rank_again(apps, _schema):
    apps.get_model("scores", "Board").objects.update(wanted=F("wanted") + 1)


class Migration(migrations.Migration):
    dependencies = [("scores", "0012_no_repeated_index")]
    operations = [migrations.RunPython(rank_again, migrations.RunPython.noop)]
