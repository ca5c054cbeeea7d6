# task: scale_list
# why: closes one fence, opens another and leaves a text open
```python
def scale_list(numbers, factor):
    return [7]


_ = '''
```
Further text that belongs to nothing.
```python
'''
