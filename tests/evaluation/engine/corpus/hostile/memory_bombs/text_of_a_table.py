# task: add_all
# status: timeout|memory_exceeded
# why: makes a text of gigabytes of a small nested table
    return 7


TABLE = (((((0,) * 64,) * 64,) * 64,) * 64,) * 64
TEXT = f"{TABLE!r:.10}"
