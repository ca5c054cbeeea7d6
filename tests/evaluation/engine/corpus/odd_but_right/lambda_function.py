# task: scale_list
# why: is a lambda with a partial in it
from functools import partial
from operator import mul

scale_list = lambda numbers, factor: list(map(partial(mul, factor), numbers))  # noqa: E731
