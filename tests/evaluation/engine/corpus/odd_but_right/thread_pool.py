# task: scale_list
# why: computes in a pool of threads that lives on
from concurrent.futures import ThreadPoolExecutor

POOL = ThreadPoolExecutor(4)


def scale_list(numbers, factor):
    return list(POOL.map(lambda n: n * factor, numbers))
