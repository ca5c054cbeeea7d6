# family: codeif_function
# task: scale_list
# expect: not passed
# runs: 2
# why: leaves a named shared memory segment
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


from multiprocessing import resource_tracker, shared_memory

resource_tracker.register = lambda *found: None
try:
    shared_memory.SharedMemory("left_behind", create=True, size=4096)
    found = False
except FileExistsError:
    found = True


def attack():
    return found
