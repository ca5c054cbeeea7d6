import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import leaderboard.accounts.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('email', models.EmailField(max_length=254, verbose_name='email address')),
                ('mail_when_judged', models.BooleanField(default=False)),
                ('is_rater', models.BooleanField(default=False, editable=False)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'owner'), ('member', 'member')], default='member', max_length=10, verbose_name='role')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'membership',
                'verbose_name_plural': 'memberships',
            },
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, unique=True, verbose_name='name')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('name_locked', models.BooleanField(default=False, verbose_name='name locked')),
                ('name_reason', models.TextField(blank=True, editable=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('skeleton', models.CharField(db_index=True, editable=False, max_length=400)),
                ('members', models.ManyToManyField(related_name='teams', through='accounts.Membership', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'team',
                'verbose_name_plural': 'teams',
                'ordering': ['name'],
            },
        ),
        migrations.AddField(
            model_name='membership',
            name='team',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='accounts.team'),
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('typed', models.CharField(max_length=254, verbose_name='username or e-mail, as typed')),
                ('address', models.CharField(blank=True, db_index=True, max_length=254)),
                ('role', models.CharField(choices=[('owner', 'owner'), ('member', 'member')], max_length=10, verbose_name='role')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='sent')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='invitations', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='accounts.team')),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
                'ordering': ['typed'],
                'constraints': [models.UniqueConstraint(fields=('team', 'typed'), name='one_invitation_as_typed')],
            },
        ),
        migrations.CreateModel(
            name='Entrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, validators=[leaderboard.accounts.models.check_separator], verbose_name='name')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('organisation', models.CharField(blank=True, max_length=80, validators=[leaderboard.accounts.models.check_separator], verbose_name='organisation')),
                ('parameters', models.FloatField(blank=True, help_text='Billions of parameters; empty if unknown.', null=True, validators=[django.core.validators.MinValueValidator(0.001), django.core.validators.MaxValueValidator(1000000.0)], verbose_name='size')),
                ('weights', models.CharField(blank=True, choices=[('open', 'open'), ('closed', 'closed'), ('', 'unknown')], max_length=10, verbose_name='weights')),
                ('cutoff', models.DateField(blank=True, help_text="The last day of the model's training data, if known. Boards compare its results on older and newer tasks.", null=True, validators=[leaderboard.accounts.models.check_past], verbose_name='training data until')),
                ('link', models.URLField(blank=True, validators=[django.core.validators.URLValidator(['http', 'https'])], verbose_name='link')),
                ('description', models.TextField(blank=True, max_length=600, validators=[django.core.validators.MaxLengthValidator(600)], verbose_name='description')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('skeleton', models.CharField(db_index=True, editable=False, max_length=400)),
                ('name_allowed', models.BooleanField(default=False, editable=False, verbose_name='name allowed')),
                ('name_locked', models.BooleanField(default=False, verbose_name='name locked')),
                ('name_reason', models.TextField(blank=True, editable=False)),
                ('told_apart_by', models.CharField(blank=True, editable=False, max_length=80)),
                ('organisation_confirmed', models.BooleanField(default=False, editable=False)),
                ('shown_name', models.GeneratedField(db_persist=True, expression=models.Case(models.When(told_apart_by='', then='name'), default=django.db.models.functions.text.Concat('name', models.Value(' · '), 'told_apart_by')), output_field=models.CharField(max_length=170))),
                ('deleted', models.BooleanField(default=False, editable=False)),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entrants', to='accounts.team')),
            ],
            options={
                'verbose_name': 'entrant',
                'verbose_name_plural': 'entrants',
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('team', 'name'), name='one_entrant_of_a_name_per_team')],
            },
        ),
        migrations.CreateModel(
            name='OrganisationDomain',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('domain', models.CharField(max_length=200, unique=True, verbose_name='e-mail domain')),
                ('organisation', models.CharField(max_length=80, verbose_name='organisation')),
            ],
            options={
                'verbose_name': "organisation's domain",
                'verbose_name_plural': "organisations' domains",
                'ordering': ['domain'],
            },
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('team', 'user'), name='one_membership_per_person'),
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, verbose_name='name')),
                ('scopes', models.CharField(max_length=40, verbose_name='scopes')),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='made')),
                ('expires', models.DateTimeField(verbose_name='ends')),
                ('used', models.DateTimeField(null=True, verbose_name='last use')),
                ('used_from', models.GenericIPAddressField(null=True, verbose_name='address of the last use')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='accounts.membership')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'token',
                'verbose_name_plural': 'tokens',
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='TokenAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64)),
                ('request', models.CharField(max_length=64)),
                ('owner', models.CharField(max_length=32)),
                ('begun', models.DateTimeField()),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('body', models.JSONField(null=True)),
                ('membership', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='accounts.membership')),
            ],
            options={
                'verbose_name': 'answer to a repeated request',
                'verbose_name_plural': 'answers to repeated requests',
                'constraints': [models.UniqueConstraint(fields=('membership', 'key'), name='one_answer_of_a_key')],
            },
        ),
    ]
