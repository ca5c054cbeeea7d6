# task: add_all
# why: comes in two python blocks with another language between
The body:

```python
    return _total(numbers)
```

To run it:

```bash
python3 sum.py
```

And the helper:

```python
def _total(numbers):
    return sum(numbers)
```
