"""Tests of texts that people wrote, in pages and files: none runs anywhere, none breaks a page."""

import csv
import io
import json
import re

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.urls import reverse

from evaluation.models import Verdict, VerdictOutput
from leaderboard.accounts.models import Entrant, Team
from leaderboard.annotation.models import Item
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.submissions.models import Generation
from tests.leaderboard.addresses.marked import MEMBER, OWNER, STAFF, STRANGER, Site, uploaded
from tests.leaderboard.addresses.table import TABLE, admin_addresses
from tests.leaderboard.addresses.visiting import body, visitor

pytestmark = pytest.mark.any_database

HTML = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>{{ 7|add:7 }}"
RUNS = ("<img src=x", "<script>alert(2)", 'onerror=alert(1)>"')
# A model's text may hold half of a surrogate pair, which no encoding can write.
ODD = f"{HTML} half \ud800 a pair"
# Text after it is read from right to left.
REVERSED = f"{ODD} \u202e"
MARK = '<span class="codepoint" data-code="U+202E">\u202e</span>'


@pytest.fixture
def hostile(site: Site) -> Site:
    """Stores HTML wherever a user may write, mostly by ways that bypass the forms."""
    Entrant.objects.filter(pk=site.larch.pk).update(name=HTML[:80], organisation=HTML[:80])
    Team.objects.filter(pk=site.cast.northwood.pk).update(name=HTML[:79])
    Benchmark.objects.update(title=HTML[:80], summary_en=HTML, human_baseline=0.5)
    Task.objects.update(level=HTML[:40], domain=HTML, category=HTML)
    for task in Task.objects.all():
        task.public = dict.fromkeys((*task.public, HTML), HTML) | {"list": [HTML, [HTML]]}
        task.public |= {"instruction": ODD, "prompt": ODD}
        task.external_id = f"{HTML} {task.number}"
        task.id_is_number = False
        task.save()
    Verdict.objects.update(evidence=REVERSED, flags=[HTML])
    VerdictOutput.objects.update(text=REVERSED)
    Generation.objects.update(text=REVERSED, asked=REVERSED)
    Item.objects.update(text=REVERSED)
    return site


def test_html_is_shown_and_does_not_run(hostile: Site) -> None:
    """On public pages, staff see the most; on the other pages, a member sees other texts."""
    for model in apps.get_models():
        fields = {field.name for field in model._meta.concrete_fields} & {"reason", "comment"}
        if fields:
            model._default_manager.update(**dict.fromkeys(fields, f"{HTML} \u202e"))
    # Documents are the project's own texts. Refusals and redirects have no page of texts.
    lines = [line for line in TABLE if not line.name.startswith("doc")]
    asked_by = {
        role: {line.url(hostile) for line in lines if line.expected("GET")[role] in ("200", "503")}
        for role in (STRANGER, MEMBER, STAFF)
    }
    own = asked_by[MEMBER] - asked_by[STRANGER]
    for role, asked in ((STAFF, asked_by[STAFF]), (MEMBER, own)):
        client, shown, marked = visitor(hostile, role), 0, 0
        for url in sorted(asked):
            answer = client.get(url)
            # Its answer on a site without workers, as table.py says.
            is_not_ready = (url, answer.status_code) == ("/ready/", 503)
            assert answer.status_code < 500 or is_not_ready, url
            if "html" in answer.headers.get("Content-Type", ""):
                text = body(answer)
                assert [run for run in RUNS if run in text] == [], url
                assert "\u202e" not in text.replace(MARK, ""), url
                marked += MARK in text
                shown += "&lt;script&gt;alert(2)" in text or "&lt;img src=x" in text
        assert shown > 5 and marked > 1


def test_html_does_not_run_in_the_admin(hostile: Site) -> None:
    client, marked = visitor(hostile, STAFF), 0
    for url in admin_addresses(hostile):
        answer = client.get(url)
        text = body(answer)
        assert answer.status_code < 500, url
        assert [run for run in RUNS if run in text] == [], url
        assert "\u202e" not in text.replace(MARK, ""), url
        marked += MARK in text
    assert marked > 1


def test_what_is_no_html_says_so(hostile: Site) -> None:
    """Browsers treat content as a page if its type says so, however the address ends."""
    client = visitor(hostile, OWNER)
    slug = hostile.benchmark.slug
    kinds = {
        reverse("board-csv", args=[slug]): "text/csv; charset=utf-8",
        reverse("board-json", args=[slug]): "application/json",
        reverse("submission-verdicts", args=[hostile.published.pk]): (
            "application/jsonl; charset=utf-8"
        ),
    }
    kinds |= {
        reverse("chart", args=[slug, name]): "application/json" for name in ("tasks", "passk")
    }
    assert {url: client.get(url)["Content-Type"] for url in kinds} == kinds


def test_a_charts_labels_are_no_markup(hostile: Site) -> None:
    """Plotly interprets tags and links in texts, so none of them may come from a stored text."""
    client = visitor(hostile, STRANGER)
    drawn = [client.get(reverse("chart", args=[hostile.benchmark.slug, name])) for name in CHARTS]
    texts = [answer.text for answer in drawn if answer.status_code == 200]
    assert texts
    for text in texts:
        assert [run for run in ("<img", "<script") if run in json_text(text)] == []
        # Rows of the task map link to their entrants.
        assert re.findall(r'<a (?!href=\\"/entrants/[\w-]+/\\">)', json_text(text)) == []


def json_text(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False)


def test_links_lead_to_web_pages_alone(site: Site) -> None:
    for link in (
        "javascript:alert(1)",
        "JaVaScRiPt://example.org/%0aalert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
    ):
        data = {"name": "Larch", "link": link}
        visitor(site, OWNER).post(reverse("entrant-edit", args=[site.larch.slug]), data)
        stored = Entrant.objects.get(pk=site.larch.pk).link
        assert stored == "" or re.match(r"https?://[\w.]+", stored)
        page = visitor(site, STRANGER).get(site.larch.get_absolute_url())
        assert f'href="{link}' not in page.text
        with pytest.raises(ValidationError):
            Benchmark(link=link).clean_fields(exclude={"slug", "family_slug", "title", "setting"})


def test_a_link_that_came_by_another_way_is_not_followed(site: Site) -> None:
    """It was stored without a form, for example by an import."""
    for row in (site.larch, site.benchmark):
        type(row).objects.filter(pk=row.pk).update(link="javascript:alert(1)")
        assert "javascript:" not in visitor(site, STRANGER).get(row.get_absolute_url()).text


def test_names_are_no_formulas_in_spreadsheets(site: Site) -> None:
    for name in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C x'!A0"):
        Entrant.objects.filter(pk=site.larch.pk).update(name=name, organisation=name)
        text = visitor(site, STRANGER).get(reverse("board-csv", args=[site.benchmark.slug])).text
        head, *lines = list(csv.reader(io.StringIO(text.lstrip("\ufeff"), newline="")))
        cells = [cell for line in lines for cell in line]
        assert cells.count(f"'{name}") == 2
        assert [cell for cell in cells if cell[:1] in "=+@\t\r" and cell] == []


def test_a_files_name_is_a_label_and_no_place(site: Site) -> None:
    for name, shown in {
        "../../etc/passwd": "passwd",
        "..\\..\\boot.ini": "boot.ini",
        "/etc/cron.d/x": "x",
        "a\x00b\x1b[31m\r\nSet-Cookie: x": "ab[31mSet-Cookie: x",
        "safe\u202egnp.jsonl": "safegnp.jsonl",
        "<script>.jsonl": "<script>.jsonl",
        "x" * 300: "x" * 200,
        "\u200b": "predictions",
    }.items():
        upload = uploaded(site.larch, site.benchmark, name, b"{}")
        assert re.fullmatch(r"\d{4}/\d\d/predictions-[0-9a-f]{16}", upload.file.name)
        page = visitor(site, MEMBER).get(upload.get_absolute_url())
        assert (page.status_code, "<script>.jsonl" in page.text) == (200, False)
        assert shown.startswith(upload.name) or upload.name == shown
