# task: add_all
# why: has fences within its docstrings and text around its fence
Here is the rest of the function:

```python
    return _total(numbers)


def _total(numbers):
    """Add up.

        ```
        _total([1, 2]) == 3
        ```
    """
    return sum(numbers)
```

It runs in linear time.
