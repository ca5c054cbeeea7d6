# task: add_all
# why: takes about a second and a half of processor time in all
    import time

    end = time.process_time() + 0.375
    while time.process_time() < end:
        pass
    return sum(numbers)
