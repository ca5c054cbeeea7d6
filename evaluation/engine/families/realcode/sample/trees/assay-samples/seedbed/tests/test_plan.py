import pytest

from seedbed.plan import PlanError, parse_entry, parse_plan, without_comment

TEXT = """
# the garden of 2026
Carrot: 3 x 120 @ 5   # the sunny one

bean: 2x90@10
"""


def test_without_comment():
    assert without_comment("  bean # climbs # high") == "bean"
    assert without_comment("# nothing") == ""


def test_parse_entry():
    entry = parse_entry("Spring Onion: 2 x 80 @ 4")
    assert (entry.crop, entry.distance) == ("spring onion", 4)
    assert (entry.bed.rows, entry.bed.length) == (2, 80)


@pytest.mark.parametrize(
    "line", ["carrot", "carrot: 3 x 120", ": 3 x 120 @ 5", "carrot: 120 @ 5", "carrot: a x 1 @ 2"]
)
def test_a_line_that_is_no_bed(line):
    with pytest.raises(ValueError):
        parse_entry(line)


def test_parse_plan():
    assert [(e.crop, e.bed.rows, e.distance) for e in parse_plan(TEXT)] == [
        ("carrot", 3, 5),
        ("bean", 2, 10),
    ]


def test_an_empty_plan():
    assert parse_plan("\n# only a comment\n") == []


def test_a_bad_line_is_named_by_its_number():
    with pytest.raises(PlanError, match="^line 5: "):
        parse_plan(TEXT.replace("bean: ", "bean "))
