# task: word_counts
# why: returns a subclass of dict that tests use as such
from collections import Counter


def word_counts(text):
    return Counter(text.split())
