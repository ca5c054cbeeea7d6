# family: rucodeeval
# task: add_all
# expect: passed
# why: closes stdin and replaces stdout
# ---
    import io
    import sys

    sys.stdin.close()
    sys.stdout = io.StringIO()
    print("into nothing")
    return sum(numbers)
