# family: codeif_function
# task: scale_list
# expect: not passed
# why: closes one fence, opens another and leaves a text open
# ---
```python
def scale_list(numbers, factor):
    return [7]


_ = '''
```
Further text that belongs to nothing.
```python
'''
