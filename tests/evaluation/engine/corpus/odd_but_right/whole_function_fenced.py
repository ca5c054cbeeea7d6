# family: rucodeeval
# task: add_all
# expect: passed
# why: repeats the whole function
# ---
```python
def add_all(numbers: list) -> int:
    """Add all numbers."""
    total = 0
    for number in numbers:
        total += number
    return total
```
