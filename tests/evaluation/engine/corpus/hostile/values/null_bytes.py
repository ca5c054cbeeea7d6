# task: mirror_words
# why: returns text of null bytes
    return "\0" * 1000 + text
