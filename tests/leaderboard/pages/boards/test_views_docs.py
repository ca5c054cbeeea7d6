from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.pages.boards.docs import doc_url, docs
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


def test_pages_stand_in_reading_order_with_their_titles() -> None:
    assert [doc.title for doc in docs()] == ["Formats", "Metrics", "aside"]


def test_the_list_names_every_page_and_what_it_is_about(client: Client) -> None:
    text = page(client, "/docs/")
    assert '<a href="/docs/formats/">Formats</a>' in text
    assert "How the numbers come about." in text
    assert "What a file looks inside, see metrics or the rest." in text


def test_html_of_a_file_is_text_and_scripts_are_no_links(client: Client) -> None:
    text = page(client, "/docs/formats/")
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert 'href="javascript' not in text


def test_links_between_files_lead_to_pages(client: Client) -> None:
    assert 'href="/docs/metrics/#pass-at-k"' in page(client, "/docs/formats/")


def test_charts_and_figures_of_a_page_are_static_files(client: Client, written: Path) -> None:
    name = "error-bars/power"
    (written / "bars.md").write_text(f"# Bars\n\n![Power]({name}.svg)\n\n[All]({name}.csv)\n")
    text = page(client, "/docs/bars/")
    for attribute, file in (("src", f"{name}.svg"), ("href", f"{name}.csv")):
        assert f'{attribute}="/static/docs/{file}"' in text
        assert finders.find(f"docs/{file}")


def test_headings_can_be_linked_to_and_tables_are_tables(client: Client) -> None:
    text = page(client, "/docs/formats/")
    assert '<h2 id="one-line-per-bgenerationb">' in text
    assert "<td>1</td>" in text


def test_code_stands_in_its_frame_as_text(client: Client) -> None:
    framed = "<code>{&quot;task&quot;: &quot;&lt;1&gt;&quot;}"
    assert f'<pre class="code" tabindex="0">{framed}' in page(client, "/docs/formats/")


@pytest.mark.parametrize(
    "address", ["/docs/secret/", "/docs/../secret/", "/docs/%2e%2e%2fsecret/", "/docs/formats.md/"]
)
def test_what_is_no_file_of_the_users_is_not_found(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_an_unwritten_page_is_replaced_by_the_list() -> None:
    assert (doc_url("metrics"), doc_url("unwritten")) == ("/docs/metrics/", "/docs/")
