"""Tests of cutting methods out of Java files, odd files included."""

import pytest
import tree_sitter_java
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Language, Node, Parser

from evaluation.making.cuts import EMPTY, ON_ONE_LINE, UNDECODABLE, UNREADABLE, Cut, Uncut
from evaluation.making.java_bodies import AFTER_THE_BODY, BEFORE_THE_BRACE, cut, joined, walk

HEADS = [
    "public int f(int a) {",
    '@A({"}", "{"})\n  private static <T extends B<T>> T[] f(T... a) throws E\n  {',
    "boolean f() // why {\n  { // so }",
    "void \u0438\u043c\u044f() {",
]
STATEMENTS = [
    "return 0;",
    'String s = "} // {";',
    "char c = '}'; int b = '\\'';",
    "/* } { */",
    "// }",
    "",
    'String t = """\n  }\n  "{" \\""" {\n  """;',
    "Runnable r = () -> { g(); };",
    "new B() {\n    @Override public void run() {\n      g();\n    }\n  }.run();",
    'String u = "\u0434\u0430 \U0001f600";',
]


@st.composite
def methods(draw: st.DrawFn) -> str:
    body = draw(st.lists(st.sampled_from(STATEMENTS), max_size=4))
    lines = ["  " + draw(st.sampled_from(HEADS)), *(f"    {each}" for each in body), "    last();"]
    return "\n".join([*lines, "  }"])


FILES = st.builds(
    lambda start, parts, end: f"{start}class A {{\n" + "\n\n".join(parts) + end,
    st.sampled_from(
        ["", "package a.b;\n\nimport java.util.List;\n", "// \u0444\u0430\u0439\u043b\n"]
    ),
    st.lists(methods(), min_size=1, max_size=3),
    st.sampled_from(["\n}", "\n}\n", "\n\n}\n\n\n"]),
)


def cuts(text: str) -> list[Cut]:
    return [found for found in cut(text) if isinstance(found, Cut)]


def root(text: str) -> Node:
    return Parser(Language(tree_sitter_java.language())).parse(text.encode()).root_node


@given(FILES)
def test_every_cut_gives_the_file_again_and_is_java_with_a_stub_in_it_as_well(text: str) -> None:
    assert not root(text).has_error
    assert sum(each.body.endswith("last();\n  }") for each in cuts(text)) == text.count("last();")
    for each in cuts(text):
        assert joined(each.left, each.body, each.right).rstrip("\n") == text.rstrip("\n")
        assert each.left.endswith("\n") and each.body.split("\n")[-1].strip() == "}"
        assert each.right.startswith("\n") and not each.right.endswith("\n")
        assert not root(f"{each.left}{each.stub}{each.right}").has_error
        assert "();" not in each.stub


@given(st.text() | st.text(alphabet="class A{}()\n\r\t \"'/*;intf\x00\ud800", max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    for each in cuts(text):
        assert joined(each.left, each.body, each.right).rstrip("\n") == text.rstrip("\n")


def in_class(method: str) -> str:
    return f"class A {{\n  int x;\n{method}\n}}\n"


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ("  int f() { return 1; }", ON_ONE_LINE),
        ("  int f() { int a = 1;\n    return a;\n  }", ON_ONE_LINE),
        ("  void f() {\n  }", EMPTY),
        ("  void f() {\n    // nothing yet\n  }", EMPTY),
        ("  int f() {\n    return 1; }", BEFORE_THE_BRACE),
        ("  int f() {\n    return 1;\n  } // f", AFTER_THE_BODY),
        ("  int f() {\r\n    return 1;\r\n  }\r", AFTER_THE_BODY),
        ("  int f() {\n    return 1 +;\n  }", UNREADABLE),
    ],
)
def test_what_makes_no_task_says_why(method: str, why: str) -> None:
    assert [found.why for found in cut(in_class(method)) if isinstance(found, Uncut)] == [why]
    assert not cuts(in_class(method))


def test_a_file_that_is_no_java_or_not_utf_8_says_so_and_methods_without_a_body_are_none() -> None:
    assert cut("{{{ ]]") == [Uncut("", 1, UNREADABLE)]
    assert cut("class A { String f() { return '\udce9'; } }") == [Uncut("", 1, UNDECODABLE)]
    assert cut("abstract class A {\n  abstract int f();\n  native void g();\n}\n") == []
    assert cut("interface B {\n  int h();\n}\n") == []


def test_contexts_meet_the_body_and_a_method_begins_with_its_annotation() -> None:
    (plain,) = cuts("class A {\n\n  int f() {\n    return 1;\n  }\n\n}\n")
    assert plain.left == "class A {\n\n  int f() {\n"
    assert plain.body == "    return 1;\n  }"
    assert plain.right == "\n\n}"
    assert (plain.name, plain.line, plain.top) == ("f", 3, 3)
    (noted,) = cuts(in_class("  /** Says. */\n  @Override\n  public int f() {\n    return 1;\n  }"))
    assert (noted.top, noted.line) == (4, 5)


def test_methods_of_nested_and_anonymous_classes_are_cut_too() -> None:
    text = in_class(
        "  Object f() {\n    return new B() {\n      int g() {\n        return 1;\n      }\n"
        "    };\n  }\n  static class C {\n    C() {\n      super();\n    }\n  }"
    )
    assert [each.name for each in cuts(text)] == ["f", "g", "C"]


@pytest.mark.parametrize(
    ("method", "stub"),
    [
        ("void f()", ""),
        ("boolean f()", "return false;"),
        ("char f()", "return 0;"),
        ("double f()", "return 0;"),
        ("String f()", "return null;"),
        ("int f()[]", "return null;"),
        ("<T> T f(T a)", "return null;"),
        ("List<List<String>> f()", "return java.util.Collections.emptyList();"),
        ("Map<String, T> f()", "return null;"),
        ("Set f()", "return null;"),
        ("java.util.Set<? super T> f()", "return java.util.Collections.emptySet();"),
        ("Optional<T> f()", "return java.util.Optional.empty();"),
        ("A()", ""),
    ],
)
def test_a_stub_says_the_least_that_the_type_allows(method: str, stub: str) -> None:
    imports = "import java.util.List;\nimport a.Map;\nimport b.*;\nimport java.util.Optional;\n"
    (found,) = cuts(imports + in_class(f"  public {method} {{\n\n    g(); // so\n  }}"))
    assert found.stub == (f"    {stub}\n  }}" if stub else "  }")


THROW = "throw new UnsupportedOperationException();"


@pytest.mark.parametrize(
    ("field", "first", "stub"),
    [
        ("int a;", "super(1,\n      2);", "super(1,       2);"),
        ("final int a = 1;", "super(1);", "super(1);"),
        ("static final int a;", "super(1);", "super(1);"),
        ("final int a;", "super(1);", f"super(1);\n    {THROW}"),
        ("private final @A int a = 1, b;", "a = 1;", THROW),
        ("final int a;", "this(1);", "this(1);"),
    ],
)
def test_a_constructor_s_stub_does_what_the_compiler_asks_for(
    field: str, first: str, stub: str
) -> None:
    (found,) = cuts(in_class(f"  {field}\n  A() {{\n    {first}\n    g();\n  }}"))
    assert found.stub == f"    {stub}\n  }}"


@pytest.mark.parametrize(
    ("head", "statement", "stub"),
    [("A(int a)", "this.a = a;", f"    {THROW}\n  }}"), ("A", "g();", "  }")],
    ids=["its own constructor has to set the fields", "a compact one may do nothing"],
)
def test_a_record_s_constructor(head: str, statement: str, stub: str) -> None:
    (found,) = cuts(f"record A(int a) {{\n  {head} {{\n    {statement}\n  }}\n}}\n")
    assert (found.name, found.stub) == ("A", stub)


def test_an_expression_that_is_very_deep_is_no_matter() -> None:
    deep = in_class("  int f() {\n    return " + "1 + " * 5000 + "1;\n  }")
    (found,) = cuts(deep)
    assert found.body.endswith("1;\n  }")
    assert sum(node.type == "binary_expression" for node in walk(root(deep))) == 5000
