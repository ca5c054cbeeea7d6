# task: add_all
# why: closes stdin and replaces stdout
    import io
    import sys

    sys.stdin.close()
    sys.stdout = io.StringIO()
    print("into nothing")
    return sum(numbers)
