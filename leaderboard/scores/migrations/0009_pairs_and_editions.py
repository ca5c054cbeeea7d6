"""Has every board made again, which stores the p of its pairs and its first edition."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F


def make_again(apps, _schema):
    apps.get_model("scores", "Board").objects.update(wanted=F("wanted") + 1)


class Migration(migrations.Migration):

    dependencies = [
        ('scores', '0008_chances_and_error_parts'),
        ('submissions', '0008_ledger'),
    ]

    operations = [
        migrations.AddField(
            model_name='board',
            name='pairs',
            field=models.BinaryField(default=bytes),
        ),
        migrations.CreateModel(
            name='Edition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('metric', models.CharField(max_length=40)),
                ('engine', models.CharField(max_length=40)),
                ('made_at', models.DateTimeField()),
                ('ranked', models.PositiveIntegerField()),
                ('board', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='editions', to='scores.board')),
            ],
            options={
                'verbose_name': 'edition',
                'verbose_name_plural': 'editions',
                'ordering': ['board', '-made_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='EditionRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank_low', models.PositiveIntegerField()),
                ('rank_high', models.PositiveIntegerField()),
                ('value', models.FloatField()),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('edition', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='scores.edition')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='edition_rows', to='submissions.submission')),
            ],
            options={
                'verbose_name': 'row of an edition',
                'verbose_name_plural': 'rows of editions',
            },
        ),
        migrations.AddIndex(
            model_name='edition',
            index=models.Index(fields=['board', 'made_at'], name='scores_edit_board_i_8786a8_idx'),
        ),
        migrations.AddConstraint(
            model_name='editionrow',
            constraint=models.UniqueConstraint(fields=('edition', 'submission'), name='one_edition_row_of_a_submission'),
        ),
        migrations.RunPython(make_again, migrations.RunPython.noop),
    ]
