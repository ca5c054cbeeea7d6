# task: mirror_words
# why: returns a line of 64 MiB
    return "x" * 2**26
