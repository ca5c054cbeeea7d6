# family: rucodeeval
# task: mirror_words
# expect: not passed
# why: returns text that no encoding takes
# ---
    return "\ud800\udfff\udc80"
