# family: rucodeeval
# task: add_all
# expect: passed
# why: sleeps a second in all
# ---
    import time

    time.sleep(0.25)
    return sum(numbers)
