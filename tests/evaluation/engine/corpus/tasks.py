"""The few tasks that the corpus is judged on, in the formats of the datasets.

Their answers can't be guessed. The asserts have the forms of the published tests:
comparison with a literal, a call in `try`, measures of `inspect.getsource`, a check
that writes `temp.py`. `squeeze_text` has one test of a form that can be swallowed.
"""

from typing import Any

_DOCSTRING = '    """ {} """\n'


def _rucodeeval(
    number: int,
    signature: str,
    says: str,
    tests: list[dict[str, Any]],
    outputs: list[str],
    body: str,
) -> dict[str, Any]:
    return {
        "instruction": "Допишите код на языке Python в соответствии с условием\n{function}",
        "inputs": {
            "function": f"def {signature}:\n" + _DOCSTRING.format(says),
            "tests": repr(tests),
        },
        "outputs": outputs,
        "meta": {
            "id": number,
            "canonical_solution": body,
            "entry_point": signature.partition("(")[0],
        },
    }


RUCODEEVAL: dict[str, dict[str, Any]] = {
    "add_all": _rucodeeval(
        0,
        "add_all(numbers: list) -> int",
        "Сложите все числа.",
        [{"numbers": n} for n in ([3, 17, 29], [-8, 14, -11], [1900, 7, 11], [101, 202, 303])],
        ["49", "-5", "1918", "606"],
        "    return sum(numbers)\n",
    ),
    "mirror_words": _rucodeeval(
        1,
        "mirror_words(text: str) -> str",
        "Переверните каждое слово.",
        [{"text": t} for t in ("hidden answer", "Кот и пёс", "one", 'say "hi" twice\\now')],
        ["neddih rewsna", "тоК и сёп", "eno", 'yas "ih" won\\eciwt'],
        '    return " ".join(word[::-1] for word in text.split(" "))\n',
    ),
    "group_runs": _rucodeeval(
        2,
        "group_runs(items: list) -> list",
        "Соберите равные соседние элементы в списки.",
        [{"items": i} for i in ([1, 1, 2, 3, 3, 3], ["a", "b", "b"], [], [5, 5, 4, 5])],
        ["[[1, 1], [2], [3, 3, 3]]", "[['a'], ['b', 'b']]", "[]", "[[5, 5], [4], [5]]"],
        "    from itertools import groupby\n\n"
        "    return [list(run) for _, run in groupby(items)]\n",
    ),
    "power_of": _rucodeeval(
        3,
        "power_of(base: int, exponent: int) -> int",
        "Возведите в степень.",
        [{"base": b, "exponent": e} for b, e in ((7, 1200), (2, 10000), (-3, 7), (10, 5000))],
        [str(7**1200), str(2**10000), "-2187", f"1{'0' * 5000}"],
        "    return base ** exponent\n",
    ),
    "count_levels": _rucodeeval(
        4,
        "count_levels(depth: int) -> int",
        "Сложите числа от 1 до depth.",
        [{"depth": d} for d in (5000, 37, 0, 900)],
        ["12502500", "703", "0", "405450"],
        "    return depth * (depth + 1) // 2\n",
    ),
    "ratios": _rucodeeval(
        7,
        "ratios(pairs: list) -> list",
        "Поделите числа каждой пары; деление на ноль даёт NaN.",
        [{"pairs": p} for p in ([[1, 2], [3, 0], [0, -5]], [[0.1, 1], [1e300, 1e-300]])],
        ["[0.5, nan, -0.0]", "[0.1, inf]"],
        '    return [a / b if b else float("nan") for a, b in pairs]\n',
    ),
}

_EXCEPTION_TESTS = [
    "try:\n    scale_list([1], 0)\n"
    "except TypeError:\n    assert False, 'ValueError expected'\n"
    "except ValueError as e:\n    assert str(e) == 'factor must not be zero'\n"
    "else:\n    assert False, 'ValueError not raised'",
    "try: scale_list('12', 3)\nexcept TypeError: pass\nelse: assert False, 'TypeError not raised'",
]
_ANNOTATION_TESTS = [
    "assert scale_list.__annotations__ == {'numbers': list, 'factor': int, 'return': list}",
    "def test_annotations():\n"
    "    from typing import get_type_hints\n"
    "    hints = get_type_hints(scale_list)\n"
    "    assert hints == {'numbers': list, 'factor': int, 'return': list}\n"
    "test_annotations()",
]
_COMPLEXITY_TESTS = [
    "from mccabe import get_code_complexity\n"
    "import inspect\n"
    "source_code = inspect.getsource(scale_list)\n"
    "assert get_code_complexity(source_code, 3) == 0",
    "from radon.complexity import cc_visit\n"
    "assert max(block.complexity for block in cc_visit(source_code)) <= 3",
]
_STYLE_TESTS = [
    "import pycodestyle\n"
    "import os\n"
    "import inspect\n"
    'def check_code_style(function_name, filename="temp.py"):\n'
    "    try:\n"
    "        code_string = inspect.getsource(function_name)\n"
    '        with open(filename, "w") as file:\n'
    "            file.write(code_string)\n"
    "        style = pycodestyle.StyleGuide(quiet=False)\n"
    "        result = style.check_files([filename])\n"
    '        assert result.total_errors == 0, "Code does not conform to PEP 8 standards."\n'
    "    finally:\n"
    "        if os.path.exists(filename):\n"
    "            os.remove(filename)\n"
    "check_code_style(scale_list)"
]


def _codeif(
    number: int, prompt: str, test: list[str], code: str, **requirements: tuple[str, list[str]]
) -> dict[str, Any]:
    named = {name.replace("_", " "): pair for name, pair in requirements.items()}
    return {
        "task_id": number,
        "prompt": prompt,
        "test": test,
        "code": code,
        "requirements": {
            name: {"requirement": says, "unit_test": tests} for name, (says, tests) in named.items()
        },
        "multi-turn": list(named),
    }


CODEIF_FUNCTION: dict[str, dict[str, Any]] = {
    "scale_list": _codeif(
        0,
        "Write a function called 'scale_list' to multiply every number of a list by a factor.",
        [
            "assert scale_list([4, 9, 13], 7) == [28, 63, 91]",
            "assert scale_list([-3, 0, 11], 5) == [-15, 0, 55]",
            "assert scale_list([101], 19) == [1919]",
        ],
        "def scale_list(numbers, factor):\n    return [n * factor for n in numbers]\n",
        Exception_Handling=(
            "The function should raise a ValueError with the message 'factor must not be zero' "
            "if the factor is zero and a TypeError if the numbers are not a list.",
            _EXCEPTION_TESTS,
        ),
        Annotation_Coverage=(
            "The function should include type annotations: 'numbers': list, 'factor': int, "
            "and a return type: list.",
            _ANNOTATION_TESTS,
        ),
        Code_Complexity=(
            "The function should have a cyclomatic complexity of 3 or less.",
            _COMPLEXITY_TESTS,
        ),
        Code_Standard=("The function should adhere to PEP 8 style guidelines.", _STYLE_TESTS),
    ),
    "squeeze_text": _codeif(
        1,
        "Write a function called 'squeeze_text' to join the words of a text by single spaces.",
        ['assert squeeze_text(""" # a   b """) == "# a b"'],
        'def squeeze_text(text):\n    return " ".join(text.split())\n',
    ),
    "pair_up": _codeif(
        2,
        "Write a function called 'pair_up' to pair the first item with the last and so on.",
        [
            "result = pair_up([1, 5, 2, 8])\n"
            "assert isinstance(result, list)\n"
            "assert len(result) == 2\n"
            "assert all(isinstance(pair, tuple) for pair in result)\n"
            "assert result == [(1, 8), (5, 2)]",
            "assert pair_up(['x', 'y', 'z']) == [('x', 'z'), ('y', 'y')]",
        ],
        "def pair_up(items):\n"
        "    half = (len(items) + 1) // 2\n"
        "    return [(items[i], items[-1 - i]) for i in range(half)]\n",
    ),
    "bump_count": _codeif(
        3,
        "Write a function called 'bump_count' to add one to a count in a dictionary in place.",
        [
            "counts = {'a': 3, 'b': 7}\nbump_count(counts, 'a')\nassert counts == {'a': 4, 'b': 7}",
            "bump_count(counts, 'new')\nassert counts['new'] == 1\nassert len(counts) == 3",
        ],
        "def bump_count(counts, key):\n    counts[key] = counts.get(key, 0) + 1\n",
    ),
    "append_all": _codeif(
        4,
        "Write a function called 'append_all' to append items to a list and return that list.",
        [
            "items = [6, 2]\n"
            "result = append_all(items, [9, 4, 1])\n"
            "assert result is items\n"
            "assert items == [6, 2, 9, 4, 1]",
            "assert append_all([], [3, 8]) == [3, 8]",
        ],
        "def append_all(items, extra):\n    items.extend(extra)\n    return items\n",
    ),
    "countdown": _codeif(
        5,
        "Write a generator function called 'countdown' that counts from a start down to 1.",
        [
            "assert list(countdown(4)) == [4, 3, 2, 1]",
            "assert next(iter(countdown(37))) == 37",
            "assert sum(countdown(9)) == 45",
        ],
        "def countdown(start):\n    yield from range(start, 0, -1)\n",
        Annotation_Coverage=(
            "The parameter and the result should be annotated.",
            [
                "import inspect\nfrom typing import get_type_hints\n"
                "assert {'start', 'return'} <= get_type_hints(countdown).keys()\n"
                "first, *others = inspect.signature(countdown).parameters.values()\n"
                "assert first.annotation != first.empty == first.default\n"
                "assert all(each.default != each.empty for each in others)",
            ],
        ),
        Input_Output_Conditions=(
            "The numbers should hold the start.",
            ["assert 41 in countdown(41)"],
        ),
    ),
    "word_counts": _codeif(
        6,
        "Write a function called 'word_counts' to count the words of a text.",
        [
            "assert word_counts('to be or not to be') == {'to': 2, 'be': 2, 'or': 1, 'not': 1}",
            "counts = word_counts('a b a')\n"
            "assert isinstance(counts, dict)\n"
            "assert sorted(counts.items()) == [('a', 2), ('b', 1)]",
        ],
        "def word_counts(text):\n"
        "    counts = {}\n"
        "    for word in text.split():\n"
        "        counts[word] = counts.get(word, 0) + 1\n"
        "    return counts\n",
    ),
    "mean_of": _codeif(
        7,
        "Write a function called 'mean_of' to return the mean of a list of numbers.",
        ["assert abs(mean_of([1, 2, 6]) - 3.0) < 1e-9", "assert abs(mean_of([5, 8]) - 6.5) < 1e-9"],
        "def mean_of(numbers):\n    return sum(numbers) / len(numbers)\n",
        Exception_Handling=(
            "The function should raise a ValueError for an empty list.",
            ["try:\n    mean_of([])\nexcept ValueError:\n    pass\nelse:\n    assert False"],
        ),
    ),
    "next_id": _codeif(
        8,
        "Write a function called 'next_id' that returns 1, 2, 3 and so on.",
        ["assert [next_id(), next_id(), next_id()] == [1, 2, 3]", "assert next_id() == 4"],
        "from itertools import count\n\nCOUNT = count(1)\n\n\n"
        "def next_id():\n    return next(COUNT)\n",
    ),
    # Its answer is an object, so its tests share the program's process.
    "make_shelf": _codeif(
        9,
        "Write a function called 'make_shelf' that returns an object whose method 'longest' "
        "returns the longest of the names, or an empty text.",
        [
            "assert make_shelf(['oak', 'maple', 'ash']).longest() == 'maple'",
            "assert make_shelf(['yew', 'box', 'larch', 'elm']).longest() == 'larch'",
            "assert isinstance(make_shelf([]).longest(), str)",
        ],
        "class Shelf:\n"
        "    def __init__(self, names):\n        self.names = names\n\n"
        "    def longest(self):\n        return max(self.names, key=len, default='')\n\n"
        "    def code(self):\n        return repr(self.longest())\n\n\n"
        "def make_shelf(names: list):\n    return Shelf(names)\n",
        Functionality_Extension=(
            "The parameter should be annotated as a list.",
            [
                "from typing import get_type_hints\n"
                "assert get_type_hints(make_shelf)['names'] is list",
                "assert make_shelf(['fig', 'willow', 'teak']).longest() == 'willow'",
            ],
        ),
        Edge_Case_Handling=(
            "The method 'code' should return the longest name as Python's text.",
            ["assert eval(make_shelf(['fig', 'willow', 'teak']).code()) == 'willow'"],
        ),
        Code_Standard=(
            "The function should have no loop.",
            ["import inspect\nassert 'for ' not in inspect.getsource(make_shelf)"],
        ),
        Exception_Handling=(
            "The method 'longest' should not raise an error for names of one length.",
            [
                "for names, expected in ((['fig', 'teak'], 'teak'), (['yew', 'box'], 'yew')):\n"
                "    assert make_shelf(names).longest() == expected"
            ],
        ),
    ),
    "make_parcel": _codeif(
        15,
        "Write a function called 'make_parcel' that returns an object with the attributes 'size', "
        "the number of names, and 'letters', the number of their letters.",
        [
            "parcel = make_parcel(['oak', 'maple', 'ash'])\n"
            "assert parcel.size == 3\nassert parcel.letters == 11",
            "assert make_parcel([]).letters == 0",
        ],
        "class Parcel:\n"
        "    def __init__(self, names):\n        self.names = names\n\n"
        "    @property\n    def size(self):\n        return len(self.names)\n\n"
        "    @property\n    def letters(self):\n        return sum(map(len, self.names))\n\n\n"
        "def make_parcel(names) -> Parcel:\n    return Parcel(names)\n",
        Functionality_Extension=(
            "The attribute 'names' should be a list of the names, which may change.",
            [
                "parcel = make_parcel(['elm', 'fir'])\nparcel.names.append('larch')\n"
                "assert parcel.size == 3"
            ],
        ),
        Input_Output_Conditions=(
            "The class of the result should be annotated.",
            ["assert isinstance(make_parcel([]), make_parcel.__annotations__['return'])"],
        ),
    ),
    "make_bag": _codeif(
        10,
        "Write a function called 'make_bag' that returns an object whose method 'counts' returns "
        "a Counter of the names.",
        [
            "from collections import Counter\n"
            "assert make_bag(['oak', 'ash', 'oak']).counts() == Counter(['oak', 'ash', 'oak'])",
            "assert make_bag(['yew', 'yew']).counts() == Counter({'yew': 2})",
        ],
        "from collections import Counter\n\n\n"
        "class Bag:\n"
        "    def __init__(self, names):\n        self.names = names\n\n"
        "    def counts(self):\n        return Counter(self.names)\n\n\n"
        "def make_bag(names):\n    return Bag(names)\n",
    ),
    "is_even": _codeif(
        13,
        "Write a function called 'is_even' to tell whether a number is even.",
        ["assert all(map(is_even, [4, 10, -6]))", "assert all(iter(lambda: is_even(2), True))"],
        "def is_even(number):\n    return number % 2 == 0\n",
    ),
    "first_even": _codeif(
        14,
        "Write a function called 'first_even' that returns the first even number, or raises "
        "StopIteration.",
        [
            "assert first_even([5, 8, 2]) == 8",
            "try:\n    first_even([3])\nexcept StopIteration:\n    pass\nelse:\n    assert False",
        ],
        "def first_even(numbers):\n    return next(n for n in numbers if n % 2 == 0)\n",
    ),
    "make_tag": _codeif(
        11,
        "Write a function called 'make_tag' that returns an object whose method 'label' returns "
        "the name with '<' before it and '>' after it.",
        [
            "assert make_tag('oak').label().startswith('<oak')",
            "assert make_tag('ash').label().endswith('ash>')",
        ],
        "class Tag:\n"
        "    def __init__(self, name):\n        self.name = name\n\n"
        "    def label(self):\n        return f'<{self.name}>'\n\n\n"
        "def make_tag(name):\n    return Tag(name)\n",
        Functionality_Extension=(
            "The optional parameter 'mark' should be put in the place of '<'.",
            [
                "assert isinstance(make_tag('oak', mark='*').label(), str)",
                "assert make_tag('elm', mark='#').label().startswith('#elm')",
            ],
        ),
    ),
}

TASKS: dict[str, dict[str, dict[str, Any]]] = {
    "rucodeeval": RUCODEEVAL,
    "codeif_function": CODEIF_FUNCTION,
}


def good_text(family: str, task: str) -> str:
    """A generation that honestly passes the task (base setting for codeif_function)."""
    chosen = TASKS[family][task]
    text = chosen["code"] if family == "codeif_function" else chosen["meta"]["canonical_solution"]
    return str(text)
