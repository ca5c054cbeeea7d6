# task: scale_list
# tier: outside
# why: warns two frames up and records warnings
import warnings


def check(factor):
    if factor > 5:
        warnings.warn("a large factor", stacklevel=2)


def scale_list(numbers, factor):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check(factor)
    assert len(caught) == (factor > 5)
    return [number * factor for number in numbers]
