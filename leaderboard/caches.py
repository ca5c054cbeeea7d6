"""What the shared cache holds is JSON: with Django's pickle, who can write to Valkey could run
anything in a web process that reads from it."""

from __future__ import annotations

import json
from typing import Any


class JsonSerializer:
    """For django.core.cache.backends.redis. Counts stay numbers, so that they can be raised."""

    def dumps(self, value: Any) -> Any:
        return value if type(value) is int else json.dumps(value).encode()

    def loads(self, data: Any) -> Any:
        return json.loads(data)
