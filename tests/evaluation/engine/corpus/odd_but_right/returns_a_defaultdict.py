# task: word_counts
# tier: outside
# why: returns a defaultdict
from collections import defaultdict


def word_counts(text):
    counts = defaultdict(int)
    for word in text.split():
        counts[word] += 1
    return counts
