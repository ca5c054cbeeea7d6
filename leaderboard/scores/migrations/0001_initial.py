import django.db.models.deletion
import leaderboard.messages
import leaderboard.submissions.models
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('benchmarks', '0001_initial'),
        ('evaluation', '0001_initial'),
        ('submissions', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Board',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.CharField(blank=True, editable=False, max_length=120)),
                ('attempt', models.PositiveIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('rung', models.DateTimeField(blank=True, editable=False, null=True)),
                ('setting', models.CharField(max_length=40)),
                ('metric', models.CharField(max_length=40)),
                ('wanted', models.PositiveIntegerField(default=0)),
                ('made', models.PositiveIntegerField(default=0)),
                ('made_at', models.DateTimeField(blank=True, null=True)),
                ('facts', models.JSONField(default=dict)),
                ('swaps', models.BinaryField(default=bytes)),
                ('pairs', models.BinaryField(default=bytes)),
                ('revision', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='boards', to='benchmarks.revision')),
            ],
            options={
                'verbose_name': 'board',
                'verbose_name_plural': 'boards',
                'constraints': [models.UniqueConstraint(fields=('revision', 'setting'), name='one_board_of_a_setting')],
            },
        ),
        migrations.CreateModel(
            name='Edition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=leaderboard.submissions.models.random_id, editable=False, max_length=22, unique=True)),
                ('metric', models.CharField(max_length=40)),
                ('engine', models.CharField(max_length=40)),
                ('metrics', models.CharField(default='', max_length=40)),
                ('made_at', models.DateTimeField()),
                ('ranked', models.PositiveIntegerField()),
                ('changes', models.JSONField(blank=True, default=dict)),
                ('thinned', models.BooleanField(default=False, editable=False)),
                ('board', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='editions', to='scores.board')),
            ],
            options={
                'verbose_name': 'edition',
                'verbose_name_plural': 'editions',
                'ordering': ['board', '-made_at', '-pk'],
                'indexes': [models.Index(fields=['board', 'made_at'], name='scores_edit_board_i_8786a8_idx')],
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
                'constraints': [models.UniqueConstraint(fields=('edition', 'submission'), name='one_edition_row_of_a_submission')],
            },
        ),
        migrations.CreateModel(
            name='Receipt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.PositiveIntegerField()),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('envelope', models.JSONField()),
                ('verdicts', models.BinaryField()),
                ('tells_of_tests', models.BooleanField()),
                ('made', models.DateTimeField()),
                ('superseded', models.DateTimeField(null=True)),
                ('evaluation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='receipts', to='evaluation.evaluation')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='receipts', to='submissions.submission')),
            ],
            options={
                'verbose_name': 'receipt',
                'verbose_name_plural': 'receipts',
                'constraints': [models.UniqueConstraint(condition=models.Q(('superseded', None)), fields=('submission',), name='one_valid_receipt_of_a_submission')],
            },
        ),
        migrations.CreateModel(
            name='ReceiptKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('keyid', models.CharField(max_length=64, unique=True)),
                ('public', models.CharField(max_length=64)),
                ('since', models.DateTimeField(auto_now_add=True)),
                ('until', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name': 'key of receipts',
                'verbose_name_plural': 'keys of receipts',
                'ordering': ['since', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Score',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('replaced', models.BooleanField(default=False, editable=False)),
                ('metric', models.CharField(max_length=40)),
                ('slice', models.CharField(default='overall', max_length=40)),
                ('slice_value', models.CharField(blank=True, max_length=120)),
                ('value', models.FloatField(blank=True, null=True)),
                ('low', models.FloatField(blank=True, null=True)),
                ('high', models.FloatField(blank=True, null=True)),
                ('least', models.FloatField(blank=True, null=True)),
                ('most', models.FloatField(blank=True, null=True)),
                ('n', models.PositiveIntegerField()),
                ('tasks', models.PositiveIntegerField()),
                ('note', leaderboard.messages.MessageField(blank=True)),
                ('is_count', models.BooleanField(default=False)),
                ('lower_is_better', models.BooleanField(default=False)),
                ('error_tasks', models.FloatField(blank=True, null=True)),
                ('error_runs', models.FloatField(blank=True, null=True)),
                ('defined', models.PositiveIntegerField(blank=True, null=True)),
                ('is_variant', models.BooleanField(default=False)),
                ('top', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('of_references', models.BooleanField(default=False)),
                ('raters', models.JSONField(editable=False, null=True)),
                ('evaluation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='evaluation.evaluation')),
            ],
            options={
                'verbose_name': 'score',
                'verbose_name_plural': 'scores',
                'constraints': [models.UniqueConstraint(fields=('evaluation', 'metric', 'slice', 'slice_value', 'replaced'), name='one_score_of_a_slice')],
            },
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveIntegerField(null=True)),
                ('rank_low', models.PositiveIntegerField(null=True)),
                ('rank_high', models.PositiveIntegerField(null=True)),
                ('groups', models.JSONField(default=list)),
                ('replaced', models.BooleanField(default=False, editable=False)),
                ('has_results', models.BooleanField(default=True, editable=False)),
                ('passes_outside', models.PositiveIntegerField(editable=False, null=True)),
                ('passes_shared', models.PositiveIntegerField(editable=False, null=True)),
                ('board', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='scores.board')),
                ('evaluation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='evaluation.evaluation')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='submissions.submission')),
            ],
            options={
                'verbose_name': 'standing',
                'verbose_name_plural': 'standings',
                'ordering': ['board', models.OrderBy(models.F('place'), nulls_last=True), 'pk'],
                'constraints': [models.UniqueConstraint(fields=('board', 'submission'), name='one_row_of_a_submission'), models.UniqueConstraint(condition=models.Q(('place__isnull', False)), fields=('board', 'place'), name='one_row_of_a_place')],
            },
        ),
        migrations.CreateModel(
            name='TaskResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('replaced', models.BooleanField(default=False, editable=False)),
                ('metric', models.CharField(max_length=40)),
                ('category', models.CharField(blank=True, max_length=120)),
                ('turn', models.SmallIntegerField(default=-1)),
                ('n', models.PositiveIntegerField()),
                ('c', models.PositiveIntegerField()),
                ('open', models.PositiveIntegerField(default=0)),
                ('value', models.FloatField(blank=True, null=True)),
                ('overall', models.BooleanField(default=True)),
                ('samples', models.JSONField(default=list, editable=False)),
                ('evaluation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='task_results', to='evaluation.evaluation')),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='results', to='benchmarks.task')),
            ],
            options={
                'verbose_name': 'task result',
                'verbose_name_plural': 'task results',
                'constraints': [models.UniqueConstraint(fields=('evaluation', 'task', 'metric', 'category', 'turn', 'replaced'), name='one_result_of_a_slot')],
            },
        ),
        migrations.CreateModel(
            name='TaskStatistics',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('n', models.PositiveIntegerField(verbose_name='entrants')),
                ('rate', models.FloatField(verbose_name='solve rate')),
                ('discrimination', models.FloatField(null=True, verbose_name='discrimination')),
                ('flagged', models.BooleanField(verbose_name='weaker entrants solve it more often')),
                ('slope', models.FloatField(null=True, verbose_name='slope')),
                ('difficulty', models.FloatField(null=True, verbose_name='difficulty')),
                ('board', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='task_statistics', to='scores.board')),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='statistics', to='benchmarks.task')),
            ],
            options={
                'verbose_name': 'statistics of a task',
                'verbose_name_plural': 'statistics of tasks',
                'constraints': [models.UniqueConstraint(fields=('board', 'task'), name='one_row_of_statistics_of_a_task')],
            },
        ),
    ]
