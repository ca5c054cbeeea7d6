import django.db.models.deletion
import leaderboard.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Benchmark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('family_slug', models.CharField(max_length=60, verbose_name='family')),
                ('title', models.CharField(max_length=80, verbose_name='title')),
                ('summary_en', models.TextField(blank=True, verbose_name='summary in English')),
                ('summary_ru', models.TextField(blank=True, verbose_name='summary in Russian')),
                ('summary_zh', models.TextField(blank=True, verbose_name='summary in Chinese')),
                ('link', models.URLField(blank=True, help_text="The authors' paper or page.", verbose_name='link')),
                ('authors', models.TextField(blank=True, help_text='Names separated by commas, for citations.', verbose_name='authors')),
                ('skills', models.JSONField(blank=True, default=list, verbose_name='skills')),
                ('setting', models.CharField(help_text='The setting whose board is shown first.', max_length=40, verbose_name='first setting')),
                ('metric', models.CharField(default='pass@1', max_length=40, verbose_name='primary metric')),
                ('human_baseline', models.FloatField(blank=True, help_text='Between 0 and 1; shown as a row that is never ranked.', null=True, verbose_name='human baseline')),
                ('shows_output', models.BooleanField(default=False, help_text='Turn this on only if no test is hidden: a program can print what it reads.', verbose_name='entrants see output')),
                ('limits', models.JSONField(blank=True, default=dict, help_text="Overrides of the family's limits: cpu_seconds, memory (bytes), output.", verbose_name='limits')),
                ('counts_from', models.JSONField(blank=True, default=dict, help_text='The day from which a setting\'s results count in means over benchmarks, such as {"base": "2026-05-01"}; null or no day: not yet. If this is empty, every setting counts at once.', verbose_name='counts from')),
                ('accepts', models.BooleanField(default=True, verbose_name='accepts submissions')),
                ('declared', models.BooleanField(default=False, help_text='A team has to declare a run before it uploads it: the entrant, the setting, the model and the number of samples. Boards count all declared runs. Applies to files that are received from now on.', verbose_name='runs are declared first')),
                ('listed', models.BooleanField(default=True, verbose_name='listed')),
            ],
            options={
                'verbose_name': 'benchmark',
                'verbose_name_plural': 'benchmarks',
                'ordering': ['title'],
            },
        ),
        migrations.CreateModel(
            name='Revision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('label', models.CharField(max_length=60, verbose_name='label')),
                ('sha256', models.CharField(help_text='The checksum of the imported files.', max_length=64)),
                ('prompts', leaderboard.fields.ExactJSONField(default=None, null=True)),
                ('imported', models.DateTimeField(auto_now_add=True, verbose_name='imported')),
                ('benchmark', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='benchmarks.benchmark')),
            ],
            options={
                'verbose_name': 'revision',
                'verbose_name_plural': 'revisions',
                'ordering': ['-imported'],
                'constraints': [models.UniqueConstraint(fields=('benchmark', 'label'), name='one_revision_of_a_label')],
            },
        ),
        migrations.CreateModel(
            name='Task',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Place in the dataset, from 0.')),
                ('external_id', models.CharField(max_length=200)),
                ('id_is_number', models.BooleanField()),
                ('public', leaderboard.fields.ExactJSONField()),
                ('language', models.CharField(max_length=20, verbose_name='language')),
                ('natural_language', models.CharField(blank=True, max_length=20, verbose_name='natural language')),
                ('level', models.CharField(blank=True, max_length=40, verbose_name='level')),
                ('domain', models.CharField(blank=True, max_length=120, verbose_name='domain')),
                ('category', models.CharField(blank=True, max_length=120, verbose_name='category')),
                ('project', models.CharField(blank=True, max_length=200, verbose_name='project')),
                ('title', models.CharField(blank=True, max_length=90, verbose_name='title')),
                ('dated', models.DateField(blank=True, null=True, verbose_name='date')),
                ('revision', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='benchmarks.revision')),
            ],
            options={
                'verbose_name': 'task',
                'verbose_name_plural': 'tasks',
                'ordering': ['revision', 'number'],
                'constraints': [models.UniqueConstraint(fields=('revision', 'external_id', 'id_is_number'), name='one_task_of_an_id'), models.UniqueConstraint(fields=('revision', 'number'), name='one_task_of_a_number')],
            },
        ),
        migrations.CreateModel(
            name='RevisionKit',
            fields=[
                ('revision', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='kit_row', serialize=False, to='benchmarks.revision')),
                ('content', models.BinaryField()),
            ],
        ),
        migrations.AddField(
            model_name='benchmark',
            name='current',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmarks.revision', verbose_name='current revision'),
        ),
        migrations.CreateModel(
            name='TaskHidden',
            fields=[
                ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='hidden_part', serialize=False, to='benchmarks.task')),
                ('hidden', leaderboard.fields.ExactJSONField()),
            ],
        ),
        migrations.CreateModel(
            name='TaskExclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField(help_text="Everyone can read it on the task's page.", verbose_name='reason')),
                ('decided_at', models.DateTimeField(auto_now_add=True, verbose_name='decided')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='exclusion', to='benchmarks.task', verbose_name='task')),
            ],
            options={
                'verbose_name': 'task left out',
                'verbose_name_plural': 'tasks left out',
                'ordering': ['task'],
            },
        ),
    ]
