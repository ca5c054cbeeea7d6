# family: rucodeeval
# task: mirror_words
# expect: not passed
# why: returns a line of 64 MiB
# ---
    return "x" * 2**26
