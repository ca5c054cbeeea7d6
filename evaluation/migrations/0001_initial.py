import django.db.models.deletion
import leaderboard.fields
import leaderboard.messages
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('benchmarks', '0001_initial'),
        ('submissions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
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
        migrations.CreateModel(
            name='ProjectTimes',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('project', models.CharField(max_length=200, verbose_name='project')),
                ('cpu_seconds', models.FloatField()),
                ('wall_seconds', models.FloatField()),
                ('pause_seconds', models.FloatField()),
            ],
            options={
                'verbose_name': 'times of a project',
                'verbose_name_plural': 'times of projects',
            },
        ),
        migrations.CreateModel(
            name='ReferenceVerdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('image_digest', models.CharField(blank=True, max_length=100)),
                ('engine_version', models.CharField(max_length=40)),
                ('status', models.CharField(choices=[('passed', 'passed'), ('failed', 'failed'), ('compile_error', 'compile_error'), ('runtime_error', 'runtime_error'), ('timeout', 'timeout'), ('memory_exceeded', 'memory_exceeded'), ('output_exceeded', 'output_exceeded'), ('not_run', 'not_run')], max_length=16, verbose_name='status')),
                ('tests_passed', models.PositiveIntegerField(verbose_name='tests passed')),
                ('tests_total', models.PositiveIntegerField(verbose_name='tests')),
                ('duration_ms', models.PositiveIntegerField()),
                ('cpu_seconds', models.FloatField()),
                ('unsound', models.TextField(blank=True, verbose_name='why it is unsound')),
                ('base', models.CharField(blank=True, max_length=400, verbose_name='made from')),
                ('remains', models.JSONField(blank=True, default=list, verbose_name='copies of the answer')),
                ('seen', models.DateTimeField(auto_now=True, verbose_name='last seen')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='references', to='benchmarks.task', verbose_name='task')),
            ],
            options={
                'verbose_name': 'reference verdict',
                'verbose_name_plural': 'reference verdicts',
            },
        ),
        migrations.CreateModel(
            name='Verdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('test_set', models.CharField(blank=True, max_length=120)),
                ('status', models.CharField(choices=[('passed', 'passed'), ('failed', 'failed'), ('compile_error', 'compile_error'), ('runtime_error', 'runtime_error'), ('timeout', 'timeout'), ('memory_exceeded', 'memory_exceeded'), ('output_exceeded', 'output_exceeded'), ('not_run', 'not_run')], max_length=16, verbose_name='status')),
                ('integrity', models.CharField(choices=[('clean', 'clean'), ('suspect', 'suspect'), ('cleared', 'cleared'), ('confirmed', 'confirmed')], default='clean', max_length=12, verbose_name='integrity')),
                ('tier', models.CharField(choices=[('outside', "decided out of the program's reach"), ('shared', "decided within the program's reach")], default='shared', max_length=8, verbose_name='tier')),
                ('tests_passed', models.PositiveIntegerField(blank=True, null=True)),
                ('tests_total', models.PositiveIntegerField(blank=True, null=True)),
                ('duration_ms', models.PositiveIntegerField(blank=True, null=True)),
                ('control_ms', models.PositiveIntegerField(blank=True, null=True)),
                ('peak_memory_kib', models.PositiveIntegerField(blank=True, null=True)),
                ('flags', models.JSONField(blank=True, default=list)),
                ('evidence', leaderboard.fields.ExactTextField(default='')),
                ('dependencies', models.JSONField(blank=True, null=True)),
            ],
            options={
                'verbose_name': 'verdict',
                'verbose_name_plural': 'verdicts',
            },
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, unique=True, verbose_name='name')),
                ('host', models.CharField(max_length=120, verbose_name='host')),
                ('queues', models.JSONField(default=list, verbose_name='queues')),
                ('started', models.DateTimeField(verbose_name='started')),
                ('seen', models.DateTimeField(db_index=True, verbose_name='last seen')),
                ('slots', leaderboard.fields.ExactJSONField(blank=True, editable=False, null=True)),
            ],
            options={
                'verbose_name': 'worker',
                'verbose_name_plural': 'workers',
                'ordering': ['host', 'name'],
            },
        ),
        migrations.CreateModel(
            name='Evaluation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.CharField(blank=True, editable=False, max_length=120)),
                ('attempt', models.PositiveIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('rung', models.DateTimeField(blank=True, editable=False, null=True)),
                ('current', models.BooleanField(default=True, verbose_name='current')),
                ('state', models.CharField(choices=[('judging', 'judging'), ('scoring', 'being scored'), ('done', 'done'), ('refused', 'refused'), ('cancelled', 'cancelled')], default='judging', max_length=12, verbose_name='state')),
                ('engine_version', models.CharField(max_length=40)),
                ('image', models.CharField(blank=True, max_length=2000)),
                ('limits', models.JSONField(default=dict)),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='queued')),
                ('started', models.DateTimeField(blank=True, null=True, verbose_name='started')),
                ('finished', models.DateTimeField(blank=True, null=True, verbose_name='finished')),
                ('judging_ended', models.DateTimeField(blank=True, editable=False, null=True)),
                ('outdated', models.BooleanField(default=False, editable=False)),
                ('cause', leaderboard.messages.MessageField(blank=True, editable=False)),
                ('departures', leaderboard.messages.MessageField(blank=True, default=list, editable=False)),
                ('more_departures', models.PositiveIntegerField(default=0, editable=False)),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='submissions.submission')),
            ],
            options={
                'verbose_name': 'evaluation',
                'verbose_name_plural': 'evaluations',
                'ordering': ['-created'],
            },
        ),
        migrations.CreateModel(
            name='Chunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.CharField(blank=True, editable=False, max_length=120)),
                ('attempt', models.PositiveIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('rung', models.DateTimeField(blank=True, editable=False, null=True)),
                ('number', models.PositiveIntegerField()),
                ('queue', models.CharField(max_length=20)),
                ('first_generation', models.BigIntegerField()),
                ('last_generation', models.BigIntegerField()),
                ('project', models.CharField(blank=True, max_length=200, verbose_name='project')),
                ('size', models.PositiveIntegerField(verbose_name='generations')),
                ('judged', models.PositiveIntegerField(default=0)),
                ('runs', models.PositiveIntegerField(verbose_name='runs')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('lost', 'lost, to be retried'), ('cancelled', 'cancelled')], default='waiting', max_length=12, verbose_name='state')),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('not_before', models.DateTimeField(blank=True, null=True)),
                ('cause', leaderboard.messages.MessageField(blank=True, help_text='Why it was returned to the queue.')),
                ('given_back', models.DateTimeField(blank=True, null=True)),
                ('image_digest', models.CharField(blank=True, max_length=100)),
                ('base', models.CharField(blank=True, max_length=400)),
                ('host', models.CharField(blank=True, max_length=120)),
                ('wait', leaderboard.messages.MessageField(blank=True, editable=False, null=True)),
                ('started', models.DateTimeField(blank=True, null=True)),
                ('finished', models.DateTimeField(blank=True, null=True)),
                ('claimed', models.DateTimeField(blank=True, editable=False, null=True)),
                ('worked', models.DurationField(blank=True, editable=False, null=True)),
                ('evaluation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='evaluation.evaluation')),
            ],
            options={
                'verbose_name': 'chunk',
                'verbose_name_plural': 'chunks',
                'ordering': ['evaluation', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Forecast',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('phase', models.PositiveSmallIntegerField()),
                ('queue', models.CharField(max_length=20)),
                ('made', models.DateTimeField()),
                ('seconds', models.FloatField()),
                ('evaluation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='forecasts', to='evaluation.evaluation')),
            ],
        ),
        migrations.CreateModel(
            name='ReferenceHidden',
            fields=[
                ('reference', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='hidden_facts', serialize=False, to='evaluation.referenceverdict')),
                ('passed', leaderboard.fields.ExactJSONField()),
                ('facts', leaderboard.fields.ExactJSONField()),
                ('output', leaderboard.fields.ExactTextField(default='')),
            ],
        ),
        migrations.CreateModel(
            name='Review',
            fields=[
                ('verdict', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='review', serialize=False, to='evaluation.verdict')),
                ('fine', models.BooleanField(verbose_name='fine')),
                ('suspect', models.BooleanField(default=False, verbose_name='was suspect')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('at', models.DateTimeField(auto_now=True, verbose_name='time')),
            ],
            options={
                'verbose_name': 'review of a pass',
                'verbose_name_plural': 'reviews of passes',
            },
        ),
        migrations.CreateModel(
            name='VerdictOutput',
            fields=[
                ('verdict', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='excerpt', serialize=False, to='evaluation.verdict')),
                ('text', leaderboard.fields.ExactTextField()),
                ('expires', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='Recheck',
            fields=[
                ('owner', models.CharField(blank=True, editable=False, max_length=120)),
                ('attempt', models.PositiveIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('rung', models.DateTimeField(blank=True, editable=False, null=True)),
                ('chunk', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='recheck', serialize=False, to='evaluation.chunk')),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('cause', leaderboard.messages.MessageField(blank=True)),
                ('host', models.CharField(blank=True, max_length=120, verbose_name='host')),
                ('finished', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('differences', models.JSONField(blank=True, default=list)),
            ],
            options={
                'verbose_name': 'recheck of a chunk',
                'verbose_name_plural': 'rechecks of chunks',
            },
        ),
        migrations.CreateModel(
            name='RecheckedTask',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('engine_version', models.CharField(max_length=40)),
                ('drawn', models.PositiveIntegerField(default=0, verbose_name='chunks drawn')),
                ('judged', models.PositiveIntegerField(default=0, verbose_name='verdicts given twice')),
                ('differing', models.PositiveIntegerField(default=0, verbose_name='verdicts that differ')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='rechecked', to='benchmarks.task', verbose_name='task')),
            ],
            options={
                'verbose_name': 'rechecked task',
                'verbose_name_plural': 'rechecked tasks',
                'constraints': [models.UniqueConstraint(fields=('task', 'engine_version'), name='one_row_of_a_rechecked_task')],
            },
        ),
        migrations.AddField(
            model_name='verdict',
            name='evaluation',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='evaluation.evaluation'),
        ),
        migrations.AddField(
            model_name='verdict',
            name='generation',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='submissions.generation'),
        ),
        migrations.AddIndex(
            model_name='evaluation',
            index=models.Index(fields=['state'], name='evaluation__state_c83afc_idx'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.UniqueConstraint(condition=models.Q(('current', True)), fields=('submission',), name='one_current_evaluation_of_a_submission'),
        ),
        migrations.AddIndex(
            model_name='chunk',
            index=models.Index(fields=['state', 'queue'], name='evaluation__state_397394_idx'),
        ),
        migrations.AddConstraint(
            model_name='chunk',
            constraint=models.UniqueConstraint(fields=('evaluation', 'number'), name='one_chunk_of_a_number'),
        ),
        migrations.AddIndex(
            model_name='forecast',
            index=models.Index(fields=['queue', 'phase'], name='evaluation__queue_628487_idx'),
        ),
        migrations.AddConstraint(
            model_name='forecast',
            constraint=models.UniqueConstraint(fields=('evaluation', 'phase'), name='one_forecast_of_a_phase'),
        ),
        migrations.AddIndex(
            model_name='referenceverdict',
            index=models.Index(fields=['engine_version', 'task'], name='evaluation__engine__e983e4_idx'),
        ),
        migrations.AddConstraint(
            model_name='referenceverdict',
            constraint=models.UniqueConstraint(fields=('task', 'name', 'image_digest', 'engine_version'), name='one_verdict_of_a_reference'),
        ),
        migrations.AddField(
            model_name='review',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL, verbose_name='by'),
        ),
        migrations.AddIndex(
            model_name='verdict',
            index=models.Index(fields=['evaluation', 'status'], name='evaluation__evaluat_fb4833_idx'),
        ),
        migrations.AddIndex(
            model_name='verdict',
            index=models.Index(condition=models.Q(('status', 'passed'), ('test_set', ''), ('tier', 'shared')), fields=['evaluation'], name='shared_passes'),
        ),
        migrations.AddConstraint(
            model_name='verdict',
            constraint=models.UniqueConstraint(fields=('evaluation', 'generation', 'test_set'), name='one_verdict_of_a_generation'),
        ),
    ]
