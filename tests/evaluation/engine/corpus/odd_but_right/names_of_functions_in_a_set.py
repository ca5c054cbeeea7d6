# task: squeeze_text
# tier: outside
# why: has the texts "exec" and "eval" in a set
FORBIDDEN = {"exec", "eval", "__import__", "globals"}


def squeeze_text(text):
    words = text.split()
    if FORBIDDEN.intersection(words):
        raise ValueError(f"forbidden: {FORBIDDEN & set(words)}")
    return " ".join(words)
