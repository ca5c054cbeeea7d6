import leaderboard.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0010_expected_end'),
    ]

    operations = [
        migrations.CreateModel(
            name='ProjectBuild',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('project', models.CharField(max_length=200, verbose_name='project')),
                ('digest', models.CharField(max_length=100, verbose_name='digest')),
                ('pushed', models.DateTimeField(auto_now_add=True, verbose_name='pushed')),
                ('record', leaderboard.fields.ExactJSONField(editable=False)),
            ],
            options={
                'verbose_name': 'build of a project',
                'verbose_name_plural': 'builds of projects',
            },
        ),
    ]
