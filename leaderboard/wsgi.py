"""The WSGI application: `gunicorn leaderboard.wsgi`."""

import gc
import os
import sys
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from gunicorn.errors import AppImportError

from evaluation.engine.errors import SettingError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
try:
    application = get_wsgi_application()
    # Imports the views, which the first request would do.
    import_module(settings.ROOT_URLCONF)
except SettingError as error:
    # The only error that gunicorn prints without a traceback; it exits with 4.
    raise AppImportError(str(error)) from error

# Exempts all modules from garbage collection, which made a few of a hundred requests 80 ms slower
# (bench/bench_pages.py). `rendering` frees the data of a page.
gc.collect()
gc.freeze()
# With Python's threshold of 700 objects the collector runs again and again while a page is made: it
# took a fifth of the time of a board with 200 rows.
gc.set_threshold(100_000)
# With Python's 5 ms a page waits as long, after each query, for every thread that computes: beside
# four pages of code that is slow to highlight, a visitor's 95th percentile was 5.5 times as long,
# and is 3.8 times (bench/bench_strangers.py).
sys.setswitchinterval(0.0005)
