"""Tests of which part of an answer each family judges."""

# Values and texts read best in a line each.
# ruff: noqa: E501

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.instructions import BASE, DYNAMIC, SINGLE_ROUND
from evaluation.engine.records import Generation, Key, Task
from evaluation.engine.registry import FAMILIES
from tests.support.linear import at_most

TASK = Task("t", {"signature": "public static int f(int a)"}, {})
METHOD = "static int f(int a) { return a; }"
DOCUMENTED = 'def f():\n    """\n    Says.\n    """\n\n    return 1\n'
DRAFT = "\n```java\nint f(int a) { return 0; }\n```\n"
INFO_STRINGS = [
    *("java:A.java", "Java 17", "java {1,3-4}", "{.java}", "src/main/java/A.java", "java - A.java"),
    *("java (A.java)", "Java (SE 17) (a)"),
    *("java // A.java", "java showLineNumbers", 'java title="A.java"', "1:20:a/A.java"),
]
REASONING = [
    *(("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"), ("<seed:think>", "</seed:think>")),
    *(("<analysis>", "</analysis>"), ("< think >", "</ think >"), ('<think a="b">', "</think>")),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("analysis", "assistantfinal"),
    *((f"<{name}>", f"</{name}>") for name in ("antThinking", "chain_of_thought", "a-plan")),
    ("<thought_process>", "</thought_process>"),
    *(("[PLAN]", "[/PLAN]"), (f"<think>\na <think>\n</think>{DRAFT}", "</think>")),
    *(("&lt;think&gt;", "&lt;/think&gt;"), (f"<think>\na\n<think>{DRAFT}</think>", "</think>")),
    ("<think>\n<think>a</think>\n<think>b</think>", "</think>"),
    ("<think>\n<think>", "</think>"),
]
PROSE = [
    *("Here is the code", "java", "[JAVA]", "Вот метод", "以下是实现", "### Response:", "---"),
    *(
        "this calls `f(1)`.",
        "- it adds",
        "**Notes**",
        "1. It adds.",
        "Time: O(n)",
        "Here's the method f(1) as text",
    ),
    *(r"\begin{lstlisting}[language=Java]", "Sure! It is a static method.", "> Answer"),
    *("The set {a, e} counts.", "| a | b |", "- one; two.", "Time complexity O(n)", "f(1) -> 1"),
    *("Solution (Java)", "f(1);", "(It adds.)", "• adds", "Final answer", "It's so; enjoy"),
    *("The `f(int a)` method", "return a;", "class notes", "Сложность O(n)", "时间复杂度 O(n)"),
    r"\begin{minted}{java}",
]
WRAPPINGS = [
    *("<![CDATA[{}]]>", "<r><code><![CDATA[{}]]></code></r>", "`{}`", "Use ``{}`` here.", "- `{}`"),
    *("'''\n{}'''", "It is:\n'''java\n{}'''\nSo.", "'{}'", '"{}"', '"""{}"""', "«{}»"),
    *("<java>{}</java>\nSo.", '<a.b c="d">{}</a.b>', "<!-- a -->{}<br>", "[code=java]{}[/code]"),
    *("Answer:{}", ":::java\n{}:::", "%%java\n{}", ".. code-block:: java\n\n{}"),
    *("<<<\n{}>>>", "\u200b{}\u200b", "$$\n{}$$"),
]
WRAPPED = [
    f"{METHOD}\n",
    'import a.B;\nclass A<T> {\n/** `a` <b> */\nList<T> f(int a) {\nreturn b("]]>" +\n"`" + a[b[0]] + \'"\'); } }\n',
]
OTHER_LANGUAGES = [
    *("js\nfunction f(a) { return a; }", "\nfunction f(a) { return a; }"),
    *("kotlin\nfun f(a: Int): Int { return a }", "\nfunc f(a int) int { return a; }"),
    *(
        " C# title=x\nstatic int f(int a) { return 1; }",
        " {.kotlin .x}\nint f(int a) { return 1; }",
    ),
    *("{.csharp}\nstatic int f(int a) { return a; }", "text\nint f(int a) { give a; }"),
    *("\nint f(std::vector<int>& a) { return 1; }", "\ndef f(a):\n  return {1: 2}"),
]
TAGS_IN_TEXT = 'static int f(int a) { g("""\n<plan>\n</plan>\n"""); return 1; }'
SEVERAL = [
    "```java\n{0} // 1\n```\n```java\n{0}\n```",
    "``` Here it is:\n{0} // 1\n```\n```java\n{0}\n```",
    "<final_answer>\n```java\n{0} // 1\n```\n</final_answer>\n```java\n{0}\n```",
]
COMMENTED = [
    *(f"/*\n{text}\n*/\n{METHOD}" for text in (METHOD, f" * <pre>\n * {METHOD}\n * </pre>")),
    *(
        f"class A {{\nint b;\n// {mark}\n{METHOD}\n// {mark}\nint c;\n}}"
        for mark in ('a "b"', "* b *")
    ),
    f'String b = """\n1\n""";\n{METHOD}',
    f'String b =\n"""\n`1`\n""";\n{METHOD}\nString c = g("""\n"2"\n""");\n',
]
LONG = METHOD.replace("{", "{\n" + "a++;\n" * 40)
CASES = {
    ("rucodeeval", BASE): [
        ("    return 1", "    return 1"),
        ("```python\nx = 1\n```", "\nx = 1\n"),
        ("Вот:\n```python\nx = 1\n```\nГотово", "\nx = 1\n"),
        ("```python\nx = 1\n```\nи\n```python\ny = 2\n```", "\nx = 1\n\ny = 2\n"),
        ("```bash\nls\n```\n```python\nx = 1\n```", "\nx = 1\n"),
        ("```java\nint x;\n```", "\n"),
        ("```python\nx = 1", "\nx = 1"),
        ("```java\nint x;", "\n"),
        ("```python\nx = 1\n```\n```python\ny", "\nx = 1\n"),
        ("```\nx = 1\n```", "```\nx = 1\n```"),
        ("```python \nx\n```", "```python \nx\n```"),
        ("```python\r\nx\n```", "```python\r\nx\n```"),
        ("```python\nx```", "\nx```"),
        ("```python\n```", "\n```"),
        ("```python\nx\n```python\ny\n```", "\nx\n"),
        ("```py-3_x\nx\n```\n", "\n"),
    ],
    ("realcode", BASE): [
        ("    return 1", "    return 1"),
        ("Вот:\n```python\n    x\n```\nГотово", "\n    x\n"),
        ("```python\na\n```\n```python\nb\n```", "\na\n"),
        ("```\nx\n```", "```\nx\n```"),
        ("```java\nx\n```\n```python\ny```", "\ny"),
        ("```python\nx", "```python\nx"),
        ("a ```python b``` c", " b"),
    ],
    ("realcode_java", BASE): [
        ("return 1;", "return 1;"),
        ("Вот:\n```java\nx\n```\nГотово", "\nx\n"),
        ("```java\na\n```\n```java\nb\n```", "\na\n"),
        ("```java\nx", "\nx"),
        ("x\n```\nвот", "x\n"),
        ("```\nx\n```", ""),
        ("```python\nx\n```\n```java\ny```", "\ny"),
        ("a ```java b``` c", " b"),
    ],
    ("codeif_function", BASE): [
        ("x = 1", "x = 1"),
        ("Here:\n```python\nx = 1\n```\nand\n```python\ny = 2\n```", "x = 1\n"),
        ("```python\r\nx = 1\r\n```", "x = 1\r\n"),
        ("```\nx = 1\n```", "```\nx = 1\n```"),
        ("```python x\n```", "```python x\n```"),
        ("```python\nx = 1", "```python\nx = 1"),
        ("```python\nx = '```'\n```", "x = '"),
        ("```python\n```", ""),
        ("text ```python\nx\n```", "x\n"),
        (DOCUMENTED, DOCUMENTED),
        ("a\n\n\nb", "a\n\n\nb"),
    ],
    ("codeif_function", SINGLE_ROUND): [
        (DOCUMENTED, "def f():\n    return 1"),
        ('def f():\n    """Says."""\n    return 1', 'def f():\n    """Says."""\n    return 1'),
        ("def f():\n    '''\n    Says.\n    '''\n    return 1", "def f():\n    '''\n    Says.\n    '''\n    return 1"),
        ('class A:\n        """\n        Says.\n        """\n        x = 1', "class A:\n        x = 1"),
        ("a\n\n \t\nb\n", "a\nb"),
        ("```python\na\n\nb\n```", "a\nb"),
        ('    """\na"""\n    """\nb"""\nc', "c"),
        ('    """\r\na"""\r\nc', "c"),
    ],
    ("codeif_function", DYNAMIC): [
        ("Here:\n```python\nx = 1\n\n  \ny = 2\n```\nand more", "x = 1\ny = 2"),
        ("```python\r\nx = 1\r\n```", "```python\r\nx = 1\r\n```"),
        ("```python x\n\n```", "```python x\n```"),
        ("x = 1\n\n", "x = 1"),
        (DOCUMENTED, 'def f():\n    """\n    Says.\n    """\n    return 1'),
    ],
    ("codeif_repository", BASE): [
        ("Here:\n```python\ndef f():\n    pass\n```\nDone.", "\ndef f():\n    pass\n"),
        ("```python\na\n```\n```python\nb\n```", "\na\n"),
        ("```python a = 1```", " a = 1"),
        ("```py\na = 1\n```", "```py\na = 1\n```"),
        ("```python\nnever closed", "```python\nnever closed"),
        ("def f():\n\n    '''doc'''\n", "def f():\n\n    '''doc'''\n"),
    ],
    ("codeif_repository", DYNAMIC): [("```python\nx = 1\n\ny = 2\n```", "x = 1\ny = 2")],
    ("aixbench_auto", BASE): [
        (METHOD, METHOD),
        (f"Yes:\n```java\n{METHOD}\n```\nDone.", f"{METHOD}\n"),
        (f"```\nmvn\n```\n```Java\nint g();\n```\n```java\n{METHOD}\n```", f"{METHOD}\n"),
        (f"```java\nimport a.B;\n```\n```\n{METHOD}\n```", f"{METHOD}\n"),
        *((f"```{other}\n```\n```java\n{METHOD}\n```", f"{METHOD}\n") for other in OTHER_LANGUAGES),
        (f"```java\nf(1);\n```\n```java\n{METHOD}\n```", f"{METHOD}\n"),
        (f"```java\nint f(int a);\n```\n```java\n{METHOD}\n```", f"{METHOD}\n"),
        (f"```java\nint f(int a) {{ ... }}\n```\n```java\n{METHOD}\n```", f"{METHOD}\n"),
        *((text.format(METHOD), f"{METHOD} // 1\n") for text in SEVERAL),
        (f"```java\nint f(A<@B(c = 3) D> e) {{ f(1); }}{DRAFT}", "int f(A<@B(c = 3) D> e) { f(1); }\n"),
        (f"```java\nclass A {{ {METHOD} }}\n```", f"class A {{ {METHOD} }}\n"),
        (f"~~~java\n{METHOD}\n~~~\n", f"{METHOD}\n"),
        (f"<draft>\n```java\n{METHOD}\n```\n</draft>\n", f"{METHOD}\n"),
        (TAGS_IN_TEXT, TAGS_IN_TEXT),
        (f"1. Method:\n\n   ```java\n   {METHOD}\n\u00a0 ```", f"   {METHOD}\n"),
        (f"Code: ```java {METHOD}``` is it.", f" {METHOD}"),
        (f"```java\r\n{METHOD}\r\n```", f"{METHOD}\r\n"),
        (f"   ```` java title=x\n{METHOD}\n````", f"{METHOD}\n"),
        (f"```java\n{METHOD}", METHOD),
        (f"{METHOD}\n```", f"{METHOD}\n"),
        (f"{METHOD}\n```\nThat's it.", f"{METHOD}\n"),
        (f"```java\n/** ```\n * x\n``` */\n{METHOD}\n```", f"/** ```\n * x\n``` */\n{METHOD}\n"),
        (f'```\nString s = "```";\n{METHOD}\n```\nEnd', f'String s = "```";\n{METHOD}\n'),
        (f"{METHOD} // ```java\nint g();", f"{METHOD} // ```java\nint g();"),
        (f"```sh\nrm /*\n```\n```java\n/** a */ {METHOD}\n```", f"/** a */ {METHOD}\n"),
        (f"<think>\n```java\n{METHOD}\n```\n</think>```java\n{METHOD}1```", f"{METHOD}1"),
        (f"So {METHOD}?</think>```java\n{METHOD}\n```", f"{METHOD}\n"),
        (f"{METHOD}\n<think>It's right.</think>", f"{METHOD}\n{' ' * 26}"),
        (f"<think>{METHOD}</think>\nI can't.", f"{' ' * (len(METHOD) + 15)}\nI can't."),
        (f'{METHOD} String a = "</think>";', f'{METHOD} String a = "</think>";'),
        ("```\nx\n```\n```java\nint g() { }\n```", "int g() { }\n"),
        ("```java\n```", ""),
        ("use `f` and ```g``` here", "use `f` and ```g``` here"),
        (f"<|im_start|>assistant\n{METHOD}\n", f"\n{METHOD}\n"),
        (f"a = '''\n{METHOD}\n", f"{METHOD}\n"),
        *((text.format(code), code) for text in WRAPPINGS for code in WRAPPED),
        *((f"```{info}\n{METHOD}\n```", f"{METHOD}\n") for info in INFO_STRINGS),
        *((f"{begin}{DRAFT}{end}\n```java\n{METHOD}\n```", f"{METHOD}\n") for begin, end in REASONING),
        (f"```java class A {{\n{METHOD}\n}}\n```", f" class A {{\n{METHOD}\n}}\n"),
        (f"```java import a.B;\n{METHOD}\n```", f" import a.B;\n{METHOD}\n"),
        (f"```java\r{METHOD}\r```", f"{METHOD}\r"),
        (f"<answer>{METHOD}</answer>", METHOD),
        (f"/** <code>a</code> */ {METHOD[7:]}\n```", f"/** <code>a</code> */ {METHOD[7:]}\n"),
        (f'<pre><code class="java">\n{METHOD}\n</code></pre>', f"\n{METHOD}\n"),
        *((f"{METHOD}\n{word}", f"{METHOD}\n") for word in ("<|endoftext|>", "</s>", "<｜end▁of▁sentence｜>")),
        *((text, METHOD) for text in (f"\ufeff{METHOD}", f"{METHOD}\x1a")),
        (f"Here's the method:\n\n{METHOD}\n\nThis runs once; it is fast.", f"{METHOD}\n\n"),
        (f"代码如下：\n{METHOD}\n复杂度是 O(1)。", f"{METHOD}\n"),
        *((f"{prose}\n{METHOD}\n", f"{METHOD}\n") for prose in PROSE),
        *((f"{METHOD}\n{prose}", f"{METHOD}\n") for prose in PROSE),
        (f"Here is it\n{METHOD[7:]}\n", f"{METHOD[7:]}\n"),
        (f"It isn't so.\n\n{METHOD[:-1]}\nelse\n}}\nNote that.", f"{METHOD[:-1]}\nelse\n}}\n"),
        ("Let me try.\n```\nx\n```\n" * 300 + f"```java\n{METHOD}\n```", f"{METHOD}\n"),
        (f"class A {{\n/**\nReturns it.\n*/\n{METHOD}", f"class A {{\n/**\nReturns it.\n*/\n{METHOD}"),
        (f"```java\nint f(int a) {{\n// TODO\n}}\n```\n```java\n{METHOD}\n```", f"{METHOD}\n"),
        ("```java\nvoid f(int a) { }\n```", "void f(int a) { }\n"),
        *((f"```java\nint f(int a) {{\n{dots}\nreturn a; }}\n```\n```java\n{METHOD}\n```", f"{METHOD}\n") for dots in ("...", "…")),
        (f"It is\nstatic int b =\n  1\n  + 2;\n{METHOD}", f"static int b =\n  1\n  + 2;\n{METHOD}"),
        (f"It is\nstatic int b = c\n? 1\n: 2\n<< 3\n% 4;\n{METHOD}", f"static int b = c\n? 1\n: 2\n<< 3\n% 4;\n{METHOD}"),
        (f"Imports\nimport a.B;\n{METHOD}", f"import a.B;\n{METHOD}"),
        *((f"{METHOD}\n\nUsage:\n\n{use}", f"{METHOD}\n\n") for use in ("int n = f(1);", "g(f(1));")),
        (f"It is\n\npackage a.b;\n\nclass A {{ {METHOD} }}", f"package a.b;\n\nclass A {{ {METHOD} }}"),
        (f"Code (a)\n\n/** A.\n*/\n@B(c = 1)\nint b[] = {{}}, c;\n{METHOD}", f"/** A.\n*/\n@B(c = 1)\nint b[] = {{}}, c;\n{METHOD}"),
        (f"Code:\n\nchar b = 'b';\n{METHOD}", f"char b = 'b';\n{METHOD}"),
        (f"\u200b```java\n{METHOD}\n\u200b```", f"{METHOD}\n"),
        (f"Signature: int f(int a)\n\nint g() {{ return 1; }}\n{METHOD}", f"int g() {{ return 1; }}\n{METHOD}"),
        *((f"{prose}\n\n{LONG}", LONG) for prose in ("It adds (see below.", "Sad :(", "It is in [0, a.")),
        ("}public ", "}public "),
        *((f"It adds\n\n{code}", code) for code in COMMENTED),
        (f"Code:\nint g(int... b) {{ return 0; }}\n{METHOD}", f"int g(int... b) {{ return 0; }}\n{METHOD}"),
    ],
}  # fmt: skip
PIECES = st.sampled_from(
    [
        *("```python\n", "```java\n", "```java", "```\n", "```", "\n", "x = 1", "\r\n", " ", "``"),
        "текст",
    ]
)


def extracted(slug: str, setting: str, text: str) -> str:
    judged = FAMILIES[slug].judged
    requirement = None if setting in (BASE, DYNAMIC) else "Code Standard"
    return judged.extracted(TASK, Generation(Key("t", 0, requirement), text), setting)


@pytest.mark.parametrize(
    ("slug", "setting", "text", "code"),
    [(*place, text, code) for place, cases in CASES.items() for text, code in [("", ""), *cases]],
)
def test_what_is_code_in_an_answer(slug: str, setting: str, text: str, code: str) -> None:
    assert extracted(slug, setting, text) == code


@pytest.mark.parametrize(("slug", "setting"), CASES)
@given(text=st.text() | st.lists(PIECES, max_size=12).map("".join))
def test_code_is_part_of_any_text(slug: str, setting: str, text: str) -> None:
    code = extracted(slug, setting, text)
    if setting != BASE:
        assert all(line.strip() and line in text for line in code.split("\n")) or code == ""
        return
    # ruCodeEval joins its blocks, each after a newline, so only their lines are part of the text.
    assert code in text or (slug == "rucodeeval" and code.startswith("\n"))
    assert all(line in text for line in code.split("\n")) and len(code) <= len(text) + 1
    assert "`" in text or code == text or slug == "aixbench_auto"
    if slug in ("realcode", "realcode_java"):
        assert "```" not in code or (slug == "realcode" and code == text)


# aix-bench takes no block that is not Java.
@pytest.mark.parametrize(
    "slug", [slug for slug, setting in CASES if setting == BASE and slug != "aixbench_auto"]
)
@given(text=st.text(st.characters(exclude_characters="`\r", exclude_categories=["Cs"])))
def test_what_is_fenced_comes_out_again(slug: str, text: str) -> None:
    language = "java" if slug == "realcode_java" else "python"
    code = extracted(slug, BASE, f"Here:\n```{language}\n{text}\n```\n")
    assert code.strip("\n") == text.strip("\n")


@pytest.mark.parametrize(
    "text",
    [
        "```",
        "```java\n/*\n",
        "</think>",
        "class A{",
        "~~~\n",
        "a<",
        "(",
        "({\n",
        ";@A(",
        "<aa>",
        "&lt;a&gt;",
        "<think>\n<think>\n</think>",
        '"',
        "`x\n",
        "```a ",
        "think-",
    ],
)
def test_any_java_takes_linear_time(text: str) -> None:
    with at_most(1.25):
        extracted("aixbench_auto", BASE, "<" * (text == "think-") + text * (50_000 // len(text)))


@pytest.mark.parametrize("piece", ["```\nint f(int a) {\n", "`a( {\n", "int a, ", ";\n"])
def test_a_hostile_answer_takes_no_longer_than_a_long_one(piece: str) -> None:
    text = f"<think>a</think>\n</think>\n/*{piece * (2**20 // len(piece))}"
    with at_most(0.5):
        assert len(extracted("aixbench_auto", BASE, text)) == len(text)


def test_reasoning_of_any_length_is_left_out() -> None:
    text = f"<think>{'It loops. ' * 100_000}</think>\n```java\n{METHOD}\n```"
    assert extracted("aixbench_auto", BASE, text).strip() == METHOD


def test_many_fences_take_linear_time() -> None:
    text = "```python\nx\n```\n" * 20_000 + "```python\n"
    assert extracted("rucodeeval", BASE, text).count("x") == 20_000
