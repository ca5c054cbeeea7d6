# task: mirror_words
# why: returns text that no encoding takes
    return "\ud800\udfff\udc80"
