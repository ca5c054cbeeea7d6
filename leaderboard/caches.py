"""The cache stores JSON: with pickle, anyone who can write to Valkey could run code here."""

import json
from typing import Any


class JsonSerializer:
    """For django.core.cache.backends.redis. Counts stay numbers, which Valkey can increment."""

    def dumps(self, value: Any) -> Any:
        return value if type(value) is int else json.dumps(value).encode()

    def loads(self, data: Any) -> Any:
        return json.loads(data)
