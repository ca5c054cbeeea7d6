# family: rucodeeval
# task: mirror_words
# expect: not passed
# why: returns text of null bytes
# ---
    return "\0" * 1000 + text
