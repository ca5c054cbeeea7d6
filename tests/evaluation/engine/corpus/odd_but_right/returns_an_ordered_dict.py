# task: word_counts
# tier: outside
# why: returns an OrderedDict
from collections import OrderedDict


def word_counts(text):
    words = text.split()
    return OrderedDict((word, words.count(word)) for word in words)
