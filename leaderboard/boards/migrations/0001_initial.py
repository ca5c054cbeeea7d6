import leaderboard.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='ColumnMeans',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('view', models.CharField(max_length=20)),
                ('column', models.CharField(max_length=120)),
                ('made_of', models.CharField(max_length=64)),
                ('content', leaderboard.fields.ExactJSONField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('view', 'column'), name='one_row_of_a_column')],
            },
        ),
    ]
