# family: rucodeeval
# task: add_all
# expect: not passed
# status: timeout
# why: burns time when the harness turns the result into text
# ---
    class Slow:
        def __str__(self):
            while True:
                pass

    return Slow()
