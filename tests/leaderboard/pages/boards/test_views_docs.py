from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.pages.boards.views.docs import docs
from tests.leaderboard.pages.boards.published import page

pytestmark = pytest.mark.any_database

FORMATS = """# Formats

What a file looks *inside*, see [metrics](metrics.md#pass-at-k) or [the rest](../secret.md).

## One line per <b>generation</b>

<script>alert(1)</script> [bad](javascript:alert(1))

```json
{"task": "<1>"}
```

| a | b |
|---|---|
| 1 | 2 |
"""


@pytest.fixture(autouse=True)
def written(settings: Settings, tmp_path: Path) -> Path:
    folder = tmp_path / "docs" / "users"
    folder.mkdir(parents=True)
    (folder / "formats.md").write_text(FORMATS)
    (folder / "metrics.md").write_text("# Metrics\n\nHow the numbers come about.\n")
    (folder / "aside.md").write_text("No heading.\n")
    (tmp_path / "docs" / "secret.md").write_text("# Secret\n")
    settings.BASE_DIR = tmp_path
    return folder


def test_the_list_names_every_page_in_reading_order_and_what_it_is_about(client: Client) -> None:
    assert [doc.title for doc in docs()] == ["Formats", "Metrics", "aside"]
    text = page(client, "/docs/")
    assert '<a href="/docs/formats/">Formats</a>' in text
    assert "How the numbers come about." in text
    assert "What a file looks inside, see metrics or the rest." in text


def test_html_of_a_file_is_text_and_scripts_are_no_links(client: Client) -> None:
    text = page(client, "/docs/formats/")
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert 'href="javascript' not in text
    # Links between files lead to pages, headings can be linked to, and code has its frame.
    assert 'href="/docs/metrics/#pass-at-k"' in text
    assert '<h2 id="one-line-per-bgenerationb">' in text
    assert "<td>1</td>" in text
    framed = "<code>{&quot;task&quot;: &quot;&lt;1&gt;&quot;}"
    assert f'<pre class="code" tabindex="0">{framed}' in text


def test_charts_and_figures_of_a_page_are_static_files(client: Client, written: Path) -> None:
    links = "![Coverage](error-bars/charts.svg)\n\n[All](error-bars/power.csv)"
    (written / "bars.md").write_text(f"# Bars\n\n{links}\n")
    text = page(client, "/docs/bars/")
    for attribute, file in (("src", "error-bars/charts.svg"), ("href", "error-bars/power.csv")):
        assert f'{attribute}="/static/docs/{file}"' in text
        assert finders.find(f"docs/{file}")
