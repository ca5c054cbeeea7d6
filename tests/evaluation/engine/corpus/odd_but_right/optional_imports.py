# task: mean_of
# tier: outside
# why: imports what there is in a loop
import importlib

for name in ("numpy", "statistics"):
    try:
        library = importlib.import_module(name)
        break
    except ImportError:
        library = None

mean = getattr(library, "mean")


def mean_of(numbers):
    return float(mean(numbers))
