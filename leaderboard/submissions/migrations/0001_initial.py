import django.db.models.deletion
import leaderboard.fields
import leaderboard.messages
import leaderboard.submissions.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('benchmarks', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.CharField(blank=True, editable=False, max_length=120)),
                ('attempt', models.PositiveIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('rung', models.DateTimeField(blank=True, editable=False, null=True)),
                ('public_id', models.CharField(default=leaderboard.submissions.models.random_id, editable=False, max_length=22, unique=True)),
                ('setting', models.CharField(max_length=40, verbose_name='setting')),
                ('file', models.FileField(upload_to='%Y/%m/')),
                ('name', models.CharField(max_length=200, verbose_name='file name')),
                ('size', models.BigIntegerField(verbose_name='bytes')),
                ('sha256', models.CharField(max_length=64)),
                ('generations_count', models.PositiveIntegerField(default=0, editable=False)),
                ('generations_bytes', models.BigIntegerField(default=0, editable=False)),
                ('state', models.CharField(choices=[('received', 'waiting to be checked'), ('checking', 'being checked'), ('refused', 'refused'), ('checked', 'checked, not submitted yet'), ('confirmed', 'waiting to be stored'), ('storing', 'being stored'), ('stored', 'submitted'), ('discarded', 'discarded')], default='received', max_length=12, verbose_name='state')),
                ('member', models.CharField(blank=True, editable=False, max_length=200, verbose_name='file in the zip')),
                ('left_out', leaderboard.messages.MessageField(editable=False, null=True)),
                ('asked_here', models.BooleanField(default=False, editable=False)),
                ('only_check', models.BooleanField(default=False, editable=False)),
                ('report', leaderboard.messages.MessageField(blank=True, editable=False, null=True)),
                ('cause', leaderboard.messages.MessageField(blank=True, editable=False)),
                ('tries', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='received')),
                ('expires', models.DateTimeField(verbose_name='the file is kept until')),
                ('batch', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='submissions.upload')),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to='accounts.entrant')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='uploads', to='benchmarks.revision')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='uploads', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'upload',
                'verbose_name_plural': 'uploads',
                'ordering': ['-created'],
                'indexes': [models.Index(fields=['state'], name='submissions_state_2853af_idx')],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=leaderboard.submissions.models.random_id, editable=False, max_length=22, unique=True)),
                ('setting', models.CharField(max_length=40, verbose_name='setting')),
                ('asked_here', models.BooleanField(default=False, editable=False)),
                ('generations_count', models.PositiveIntegerField(verbose_name='generations')),
                ('digest', models.CharField(db_index=True, max_length=64)),
                ('visibility', models.CharField(choices=[('private', 'private'), ('published', 'published')], default='private', max_length=10, verbose_name='visibility')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='submitted')),
                ('published', models.DateTimeField(blank=True, null=True, verbose_name='published')),
                ('was_published', models.BooleanField(default=False, editable=False)),
                ('storing', models.PositiveIntegerField(editable=False, null=True)),
                ('base', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='submissions.submission')),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='accounts.entrant')),
                ('revision', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='benchmarks.revision')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='submissions', to=settings.AUTH_USER_MODEL)),
                ('upload', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='submissions', to='submissions.upload')),
            ],
            options={
                'verbose_name': 'submission',
                'verbose_name_plural': 'submissions',
                'ordering': ['-created'],
                'indexes': [models.Index(fields=['revision', 'setting', 'visibility'], name='submissions_revisio_333780_idx')],
            },
        ),
        migrations.CreateModel(
            name='Provenance',
            fields=[
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='provenance', serialize=False, to='submissions.submission')),
                ('said', leaderboard.fields.ExactJSONField()),
            ],
            options={
                'verbose_name': 'provenance',
                'verbose_name_plural': 'provenances',
            },
        ),
        migrations.CreateModel(
            name='Declaration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('setting', models.CharField(max_length=40, verbose_name='setting')),
                ('samples', models.PositiveSmallIntegerField(verbose_name='samples of each task')),
                ('model', models.CharField(max_length=200, verbose_name='model')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='declared')),
                ('evaluated', models.DateTimeField(null=True, verbose_name='judging began')),
                ('withdrawn', models.DateTimeField(null=True, verbose_name='withdrawn')),
                ('entrant', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='declarations', to='accounts.entrant')),
                ('revision', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='declarations', to='benchmarks.revision')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='declarations', to='accounts.team')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('withdrawn_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('upload', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='declaration', to='submissions.upload')),
            ],
            options={
                'verbose_name': 'declared run',
                'verbose_name_plural': 'declared runs',
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['revision', 'setting', 'team'], name='submissions_revisio_6da8b0_idx')],
            },
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('setting', models.CharField(max_length=40, verbose_name='setting')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='judging began')),
                ('revision', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='ledger', to='benchmarks.revision')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ledger', to='accounts.team')),
                ('submission', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='ledger_entry', to='submissions.submission')),
            ],
            options={
                'verbose_name': 'ledger entry',
                'verbose_name_plural': 'ledger entries',
                'indexes': [models.Index(fields=['revision', 'setting', 'team'], name='submissions_revisio_c9d1b0_idx')],
            },
        ),
        migrations.CreateModel(
            name='Generation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sample', models.PositiveIntegerField()),
                ('requirement', models.CharField(blank=True, max_length=120)),
                ('turn', models.SmallIntegerField(default=-1)),
                ('text', leaderboard.fields.ExactTextField()),
                ('asked', leaderboard.fields.ExactTextField(blank=True, default='')),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='generations', to='benchmarks.task')),
                ('submission', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='generations', to='submissions.submission')),
            ],
            options={
                'verbose_name': 'generation',
                'verbose_name_plural': 'generations',
                'constraints': [models.UniqueConstraint(fields=('submission', 'task', 'sample', 'requirement', 'turn'), name='one_generation_of_a_key')],
            },
        ),
        migrations.CreateModel(
            name='Copy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tasks', models.PositiveIntegerField(verbose_name='tasks that both answered')),
                ('share', models.FloatField(verbose_name='alike')),
                ('rare_tasks', models.PositiveIntegerField(verbose_name='tasks with rare answers')),
                ('rare_share', models.FloatField(verbose_name='alike among rare answers')),
                ('held', models.BooleanField(verbose_name='publishing waits')),
                ('state', models.CharField(choices=[('open', 'to be decided'), ('allowed', 'allowed'), ('refused', 'refused')], default='open', max_length=10, verbose_name='state')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('answer', models.TextField(blank=True, verbose_name="the team's answer")),
                ('answered', models.DateTimeField(null=True, verbose_name='answered')),
                ('decided_at', models.DateTimeField(null=True, verbose_name='decided')),
                ('found', models.DateTimeField(auto_now_add=True, verbose_name='found')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('other', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='submissions.submission', verbose_name='submitted before')),
                ('submission', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='copies', to='submissions.submission')),
            ],
            options={
                'verbose_name': 'copy',
                'verbose_name_plural': 'copies',
                'constraints': [models.UniqueConstraint(fields=('submission', 'other'), name='one_copy_of_a_pair')],
            },
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='consent', serialize=False, to='submissions.submission')),
                ('licence', models.CharField(choices=[('CC-BY-4.0', 'CC BY 4.0'), ('CC0-1.0', 'CC0 1.0'), ('MIT', 'MIT'), ('Apache-2.0', 'Apache 2.0')], max_length=20, verbose_name='licence')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='agreed')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'consent',
                'verbose_name_plural': 'consents',
            },
        ),
        migrations.CreateModel(
            name='AnswerDigest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.BinaryField(max_length=16)),
                ('hashes', models.BinaryField()),
                ('least', models.BigIntegerField()),
                ('short', models.BooleanField()),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='benchmarks.task')),
                ('submission', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='answer_digests', to='submissions.submission')),
            ],
            options={
                'indexes': [models.Index(fields=['least'], name='submissions_least_bb8d46_idx')],
                'constraints': [models.UniqueConstraint(fields=('submission', 'digest'), name='one_digest_of_an_answer')],
            },
        ),
    ]
