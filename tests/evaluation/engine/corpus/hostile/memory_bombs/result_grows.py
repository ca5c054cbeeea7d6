# task: add_all
# status: timeout|memory_exceeded
# why: returns a value whose text would take gigabytes
    held = [numbers]
    for _ in range(27):
        held = [held, held]
    return held
