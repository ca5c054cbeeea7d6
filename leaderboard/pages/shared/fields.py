"""Fields of forms that areas share."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from evaluation.engine.errors import EndpointError
from evaluation.engine.generation.guard import allowed_origin
from leaderboard.mail.webhooks import allowed
from leaderboard.messages import in_readers_language


class EndpointField(forms.CharField):
    """An address to which the site may send requests."""

    def clean(self, value: Any) -> str:
        url = str(super().clean(value))
        try:
            allowed_origin(url, allowed())
        except EndpointError as error:
            raise ValidationError(in_readers_language(error.message)) from None
        return url
