# task: add_all
# why: repeats the whole function
```python
def add_all(numbers: list) -> int:
    """Add all numbers."""
    total = 0
    for number in numbers:
        total += number
    return total
```
