"""The WSGI application: `gunicorn leaderboard.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application
from gunicorn.errors import AppImportError

from evaluation.engine.errors import SettingError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
try:
    application = get_wsgi_application()
except SettingError as error:
    # The only error that gunicorn prints without a traceback; it exits with 4.
    raise AppImportError(str(error)) from error
