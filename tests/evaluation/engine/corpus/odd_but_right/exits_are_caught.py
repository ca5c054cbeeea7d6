# task: add_all
# why: catches an exit of its own
    import sys

    try:
        sys.exit(3)
    except SystemExit:
        return sum(numbers)
