import django.db.models.deletion
import leaderboard.messages
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('benchmarks', '0001_initial'),
        ('submissions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.CharField(blank=True, editable=False, max_length=120)),
                ('attempt', models.PositiveIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('rung', models.DateTimeField(blank=True, editable=False, null=True)),
                ('setting', models.CharField(max_length=40, verbose_name='setting')),
                ('history', models.CharField(default='last', max_length=10)),
                ('endpoint', models.CharField(max_length=500, verbose_name='endpoint')),
                ('model', models.CharField(max_length=200, verbose_name='model')),
                ('has_key', models.BooleanField(default=True)),
                ('sampling', models.JSONField(default=dict)),
                ('stream', models.BooleanField(default=False)),
                ('width', models.PositiveSmallIntegerField(default=8)),
                ('price_sent', models.FloatField(blank=True, null=True)),
                ('price_answered', models.FloatField(blank=True, null=True)),
                ('judge', models.BooleanField(default=True)),
                ('state', models.CharField(choices=[('waiting', 'waiting for a worker'), ('running', 'running'), ('finished', 'finished'), ('stopped', 'stopped'), ('failed', 'failed')], default='waiting', max_length=12, verbose_name='state')),
                ('total', models.PositiveIntegerField(default=0)),
                ('lost', models.PositiveIntegerField(default=0)),
                ('progress', leaderboard.messages.MessageField(default=dict, editable=False)),
                ('cause', leaderboard.messages.MessageField(blank=True, editable=False)),
                ('tries', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='ordered')),
                ('started', models.DateTimeField(blank=True, null=True, verbose_name='started')),
                ('finished', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('until', models.DateTimeField()),
                ('expires', models.DateTimeField(blank=True, null=True)),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='accounts.entrant')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='benchmarks.revision')),
                ('upload', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='runs', to='submissions.upload')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='runs', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'run',
                'verbose_name_plural': 'runs',
                'ordering': ['-created'],
                'indexes': [models.Index(fields=['state'], name='generation__state_a3b20b_idx')],
            },
        ),
        migrations.CreateModel(
            name='RunKey',
            fields=[
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='sealed_key', serialize=False, to='generation.run')),
                ('sealed', models.TextField()),
            ],
        ),
    ]
