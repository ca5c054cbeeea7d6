import django.db.models.deletion
import leaderboard.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('scores', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='PublicChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ],
        ),
        migrations.CreateModel(
            name='BoardPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('language', models.CharField(max_length=10)),
                ('name', models.CharField(max_length=80)),
                ('made_of', models.CharField(max_length=64)),
                ('content', leaderboard.fields.ExactJSONField()),
                ('board', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='scores.board')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('board', 'language', 'name'), name='one_part_of_a_name')],
            },
        ),
    ]
