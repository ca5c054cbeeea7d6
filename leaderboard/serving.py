"""Settings of gunicorn that its command line does not have."""

from __future__ import annotations

from django.conf import settings

logconfig_dict = settings.LOGGING
