# task: word_counts
# tier: outside
# why: returns a defaultdict whose factory is a function
from collections import defaultdict


def word_counts(text):
    counts = defaultdict(lambda: 0)
    for word in text.split():
        counts[word] += 1
    return counts
