# task: squeeze_text
# why: is itself an lru_cache object
from functools import lru_cache


@lru_cache(maxsize=None)
def squeeze_text(text):
    return " ".join(text.split())
