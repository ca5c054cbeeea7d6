# family: codeif_function
# task: word_counts
# expect: passed
# why: returns a subclass of dict that tests use as such
# ---
from collections import Counter


def word_counts(text):
    return Counter(text.split())
