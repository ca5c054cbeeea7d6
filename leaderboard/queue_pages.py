"""The pages of the queue (django-rq's dashboard) while the queue is away."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from redis.exceptions import RedisError


class QueueAway:
    """Shows a page that says so instead of an error. No other page needs the queue."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, RedisError):
            return render(request, "admin/queue_away.html", status=503)
        return None
