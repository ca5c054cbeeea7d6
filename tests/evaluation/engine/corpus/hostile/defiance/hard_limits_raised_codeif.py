# family: codeif_function
# task: scale_list
# expect: not passed
# why: raises its hard limits
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


import resource


def attack():
    for name in (n for n in dir(resource) if n.startswith("RLIMIT_")):
        kind = getattr(resource, name)
        try:
            hard = resource.getrlimit(kind)[1]
            if hard != resource.RLIM_INFINITY:
                resource.setrlimit(kind, (hard + 1, hard + 1))
                return True
        except (OSError, ValueError):
            pass
    return False
