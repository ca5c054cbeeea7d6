# family: rucodeeval
# task: add_all
# expect: passed
# why: catches an exit of its own
# ---
    import sys

    try:
        sys.exit(3)
    except SystemExit:
        return sum(numbers)
