# task: scale_list
# status: runtime_error
# why: has the kernel keep the memory of names that do not exist
import os

for number in range(60_000):
    os.path.exists(f"/usr/{number:0200}")


def scale_list(numbers, factor):
    return [n * factor for n in numbers]
