import re
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.pages.shared.citing import Citation, escaped

READ = date(2026, 11, 23)


def test_a_citation_names_what_reproduces_the_number() -> None:
    one = Citation("", "ruCodeEval leaderboard", "https://x.org/b/", ("revision 1", "a_b"), 2025)
    assert one.text.startswith("ruCodeEval leaderboard, revision 1, a_b. https://x.org/b/, read on")
    made = Citation(one.name, one.title, one.address, one.facts, 2025, read=READ)
    assert made.bibtex == (
        "@misc{rucodeeval-leaderboard-2025,\n"
        "  author = {{Assay}},\n"
        "  title = {{ruCodeEval leaderboard}},\n"
        "  year = {2025},\n"
        "  note = {revision 1, a\\_b},\n"
        "  howpublished = {\\url{https://x.org/b/}},\n"
        "  urldate = {2026-11-23},\n"
        "}"
    )


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=30))
def test_no_name_leaves_its_field(name: str) -> None:
    text = escaped(name)
    assert "\n" not in text
    bare = re.sub(r"\\[{}$&#%_]|\\text\w+\{\}", "", text)
    assert not set(bare) & set("{}$&#%_\\^~")
