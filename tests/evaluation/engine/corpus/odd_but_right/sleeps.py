# task: add_all
# why: sleeps a second in all
    import time

    time.sleep(0.25)
    return sum(numbers)
