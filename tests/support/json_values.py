"""Any value that JSON can hold, for tests of what reads files and reports of strangers."""

from typing import Any

from hypothesis import strategies as st


def json_values(*keys: str, texts: tuple[str, ...] = ()) -> st.SearchStrategy[Any]:
    """Objects have some of these keys, or any if there are none. `texts` are more likely than
    others."""
    names = st.sampled_from(keys) if keys else st.text(max_size=5)
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    return st.recursive(
        leaves | st.sampled_from(texts) if texts else leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
        max_leaves=10,
    )
