import django.core.validators
import django.db.models.deletion
import leaderboard.fields
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
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.CharField(blank=True, editable=False, max_length=120)),
                ('attempt', models.PositiveIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('rung', models.DateTimeField(blank=True, editable=False, null=True)),
                ('kind', models.CharField(choices=[('alone', 'independent rating'), ('third', 'settles a disagreement')], default='alone', max_length=10, verbose_name='kind')),
                ('state', models.CharField(choices=[('rating', 'being rated'), ('done', 'rated'), ('skipped', 'skipped')], default='rating', max_length=10, verbose_name='state')),
                ('reason', models.TextField(blank=True, verbose_name='why it was skipped')),
                ('seconds', models.PositiveIntegerField(default=0, verbose_name='seconds')),
                ('shown', models.DateTimeField(blank=True, null=True, verbose_name='last shown')),
                ('finished', models.DateTimeField(blank=True, null=True, verbose_name='rated')),
            ],
            options={
                'verbose_name': 'assignment',
                'verbose_name_plural': 'assignments',
            },
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='draft', serialize=False, to='annotation.assignment')),
                ('marks', leaderboard.fields.ExactJSONField(default=dict)),
                ('comments', leaderboard.fields.ExactJSONField(default=dict)),
                ('seconds', models.PositiveIntegerField(default=0)),
                ('version', models.PositiveIntegerField(default=0)),
                ('changed', models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name='Campaign',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=80, verbose_name='title')),
                ('family_slug', models.CharField(help_text='The family whose scales are used.', max_length=60, verbose_name='criteria of')),
                ('per_item', models.PositiveSmallIntegerField(default=3, validators=[django.core.validators.MinValueValidator(1)], verbose_name='raters of each generation')),
                ('fewest_ratings', models.PositiveIntegerField(default=30, verbose_name='marks required to publish a mean')),
                ('least_agreement', models.FloatField(default=0.667, validators=[django.core.validators.MinValueValidator(-1.0), django.core.validators.MaxValueValidator(1.0)], verbose_name='agreement required to publish a mean')),
                ('constant_marks', models.BooleanField(default=False, help_text='Agreement cannot be computed on a scale with a single mark, so its means stay provisional unless you decide otherwise.', verbose_name='publish means if all marks are the same')),
                ('trial', models.CharField(choices=[('before', 'before all others'), ('among', 'among the others')], default='before', max_length=10, verbose_name='known items come')),
                ('most_apart', models.FloatField(default=0.7, help_text='In marks, averaged over the known items, for each scale.', validators=[django.core.validators.MinValueValidator(0.0)], verbose_name='largest distance from the known answers')),
                ('closes', models.DateTimeField(blank=True, help_text='In UTC. If empty, the campaign is open until you close it.', null=True, verbose_name='closes automatically')),
                ('state', models.CharField(choices=[('preparing', 'being prepared'), ('open', 'open for rating'), ('closed', 'closed')], default='preparing', max_length=10, verbose_name='state')),
                ('seed', models.CharField(editable=False, max_length=32)),
                ('rubric', models.CharField(blank=True, editable=False, max_length=12, verbose_name='rubric')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('opened', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='opened')),
                ('closed', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='closed')),
                ('wanted', models.PositiveIntegerField(default=0, editable=False)),
                ('made', models.PositiveIntegerField(default=0, editable=False)),
                ('made_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('rung', models.DateTimeField(blank=True, editable=False, null=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='campaigns', to='benchmarks.revision')),
            ],
            options={
                'verbose_name': 'rating campaign',
                'verbose_name_plural': 'rating campaigns',
                'ordering': ['-created'],
            },
        ),
        migrations.CreateModel(
            name='CampaignChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('term', 'a term'), ('chosen', 'its marks count'), ('added', 'a submission added'), ('removed', 'a submission taken out')], max_length=10, verbose_name='what')),
                ('name', models.CharField(max_length=40)),
                ('old', models.JSONField(null=True)),
                ('new', models.JSONField(null=True)),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='when')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='annotation.campaign')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'change of a campaign',
                'verbose_name_plural': 'changes of campaigns',
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('generation', 'generation'), ('known', 'known answer')], max_length=10, verbose_name='kind')),
                ('text', leaderboard.fields.ExactTextField(default='')),
                ('likeness', models.PositiveIntegerField(default=0)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.campaign')),
                ('generation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rated_items', to='submissions.generation')),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rated_items', to='benchmarks.task')),
            ],
            options={
                'verbose_name': 'item',
                'verbose_name_plural': 'items',
            },
        ),
        migrations.AddField(
            model_name='assignment',
            name='item',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.item'),
        ),
        migrations.CreateModel(
            name='KnownMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40, verbose_name='criterion')),
                ('value', models.PositiveSmallIntegerField(verbose_name='mark')),
                ('top', models.PositiveSmallIntegerField(verbose_name='best mark')),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='known', to='annotation.item')),
            ],
            options={
                'verbose_name': 'known mark',
                'verbose_name_plural': 'known marks',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='MarkChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40, verbose_name='criterion')),
                ('settles', models.BooleanField(default=False, verbose_name='outcome')),
                ('old', models.PositiveSmallIntegerField(null=True, verbose_name='before')),
                ('new', models.PositiveSmallIntegerField(verbose_name='after')),
                ('old_comment', models.TextField(blank=True, verbose_name='comment before')),
                ('new_comment', models.TextField(blank=True, verbose_name='comment after')),
                ('how', models.CharField(choices=[('rater', 'the rater'), ('staff', 'the staff'), ('file', 'a file')], max_length=10, verbose_name='by')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('informed', models.BooleanField(default=False)),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='when')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='annotation.assignment')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'change of a mark',
                'verbose_name_plural': 'changes of marks',
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Outcome',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40, verbose_name='criterion')),
                ('value', models.PositiveSmallIntegerField(verbose_name='mark')),
                ('top', models.PositiveSmallIntegerField(verbose_name='best mark')),
                ('comment', models.TextField(blank=True, verbose_name='comment')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='settled')),
                ('changed', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outcomes', to='annotation.assignment')),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='outcomes', to='annotation.item')),
            ],
            options={
                'verbose_name': 'outcome',
                'verbose_name_plural': 'outcomes',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='PanelAgreement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40)),
                ('measure', models.CharField(choices=[('alpha', "Krippendorff's alpha"), ('kappa', 'weighted kappa')], max_length=10)),
                ('value', models.FloatField(null=True)),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('raters', models.PositiveIntegerField()),
                ('tasks', models.PositiveIntegerField()),
                ('pairs', models.PositiveIntegerField()),
                ('lack', models.CharField(blank=True, max_length=40)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='agreements', to='annotation.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='PanelScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40)),
                ('slice', models.CharField(default='overall', max_length=40)),
                ('slice_value', models.CharField(blank=True, max_length=120)),
                ('value', models.FloatField(null=True)),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('scope', models.CharField(max_length=12)),
                ('shares', models.JSONField(default=list)),
                ('ratings', models.PositiveIntegerField()),
                ('raters', models.PositiveIntegerField()),
                ('items', models.PositiveIntegerField()),
                ('tasks', models.PositiveIntegerField()),
                ('missing', models.PositiveIntegerField(default=0)),
                ('open', models.PositiveIntegerField(default=0)),
                ('holds', models.JSONField(default=list)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='annotation.campaign')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='panel_scores', to='submissions.submission')),
            ],
        ),
        migrations.CreateModel(
            name='Rater',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='number')),
                ('state', models.CharField(choices=[('trying', 'on trial'), ('rating', 'active'), ('refused', 'too far from the known answers'), ('dismissed', 'dismissed')], max_length=10, verbose_name='state')),
                ('adjudicates', models.BooleanField(default=False, help_text='Settles items on which other raters differ.', verbose_name='adjudicates')),
                ('tried', models.DateTimeField(blank=True, null=True, verbose_name='trial ended')),
                ('reason', models.TextField(blank=True, help_text="The reason for the staff's decision.", verbose_name='reason')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='raters', to='annotation.campaign')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='rater_in', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'rater',
                'verbose_name_plural': 'raters',
                'ordering': ['campaign', 'number'],
            },
        ),
        migrations.AddField(
            model_name='assignment',
            name='rater',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.rater'),
        ),
        migrations.CreateModel(
            name='RaterAgreement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40)),
                ('value', models.FloatField(null=True)),
                ('bias', models.FloatField(null=True)),
                ('distance', models.FloatField(null=True)),
                ('items', models.PositiveIntegerField()),
                ('lack', models.CharField(blank=True, max_length=40)),
                ('rater', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='agreements', to='annotation.rater')),
            ],
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40, verbose_name='criterion')),
                ('value', models.PositiveSmallIntegerField(verbose_name='mark')),
                ('top', models.PositiveSmallIntegerField(verbose_name='best mark')),
                ('comment', models.TextField(blank=True, verbose_name='comment')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='rated')),
                ('changed', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='annotation.assignment')),
            ],
            options={
                'verbose_name': 'rating',
                'verbose_name_plural': 'ratings',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ResultSource',
            fields=[
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='result_source', serialize=False, to='submissions.submission')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='annotation.campaign')),
            ],
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('per_item__gte', 1)), name='somebody_rates_each_item'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(fields=('campaign', 'generation'), name='one_item_of_a_generation'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('generation__isnull', False), ('kind', 'generation')), models.Q(('generation__isnull', True), ('kind', 'known')), _connector='OR'), name='generations_are_items_of_their_kind'),
        ),
        migrations.AddConstraint(
            model_name='knownmark',
            constraint=models.CheckConstraint(condition=models.Q(('top__gte', 2), ('value__gte', 1), ('value__lte', models.F('top'))), name='knownmark_lies_on_its_scale'),
        ),
        migrations.AddConstraint(
            model_name='knownmark',
            constraint=models.UniqueConstraint(fields=('item', 'criterion'), name='one_known_mark_on_a_scale'),
        ),
        migrations.AddConstraint(
            model_name='outcome',
            constraint=models.CheckConstraint(condition=models.Q(('top__gte', 2), ('value__gte', 1), ('value__lte', models.F('top'))), name='outcome_lies_on_its_scale'),
        ),
        migrations.AddConstraint(
            model_name='outcome',
            constraint=models.UniqueConstraint(fields=('item', 'criterion'), name='one_outcome_on_a_scale'),
        ),
        migrations.AddConstraint(
            model_name='panelagreement',
            constraint=models.UniqueConstraint(fields=('campaign', 'criterion', 'measure'), name='one_agreement_on_a_scale'),
        ),
        migrations.AddConstraint(
            model_name='panelscore',
            constraint=models.UniqueConstraint(fields=('campaign', 'submission', 'criterion', 'slice', 'slice_value'), name='one_panel_score_of_a_slice'),
        ),
        migrations.AddConstraint(
            model_name='rater',
            constraint=models.UniqueConstraint(fields=('campaign', 'user'), name='one_part_of_a_person'),
        ),
        migrations.AddConstraint(
            model_name='rater',
            constraint=models.UniqueConstraint(fields=('campaign', 'number'), name='one_rater_of_a_number'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['rater', 'state'], name='annotation__rater_i_cf956c_idx'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('item', 'rater'), name='one_assignment_of_a_rater'),
        ),
        migrations.AddConstraint(
            model_name='rateragreement',
            constraint=models.UniqueConstraint(fields=('rater', 'criterion'), name='one_agreement_of_a_rater'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=models.CheckConstraint(condition=models.Q(('top__gte', 2), ('value__gte', 1), ('value__lte', models.F('top'))), name='rating_lies_on_its_scale'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=models.UniqueConstraint(fields=('assignment', 'criterion'), name='one_mark_of_a_rater_on_a_scale'),
        ),
    ]
