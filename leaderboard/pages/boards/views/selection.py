"""The selection of a page's address, with the words of its tabs and menus."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards.selection import NotSelected, Selection
from leaderboard.pages.boards.menus import Choice
from leaderboard.pages.boards.words import setting_title
from leaderboard.pages.shared.crumbs import Crumb


class Selected(Selection):
    @property
    def tabs(self) -> list[Choice]:
        settings = self.benchmark.settings
        return [
            Choice(setting_title(name), self.filters.query(setting=name), name == self.setting)
            for name in settings
        ]

    @property
    def revision_choices(self) -> list[Choice]:
        return [
            Choice(row.label, self.filters.query(revision=row.label), row == self.revision)
            for row in self.revisions
        ]

    def crumbs(self, fragment: str = "") -> list[Crumb]:
        """The way to the board's page."""
        address = self.benchmark.get_absolute_url() + self.query + fragment
        return [Crumb(gettext("Benchmarks"), reverse("benchmarks")), Crumb(self.title, address)]

    @property
    def title(self) -> str:
        if len(self.benchmark.settings) < 2:
            return self.benchmark.title
        return f"{self.benchmark.title}, {setting_title(self.setting).lower()}"


@dataclass(frozen=True)
class SelectedPage:
    selected: Selected

    @property
    def benchmark(self) -> Benchmark:
        return self.selected.benchmark


def select(request: HttpRequest, slug: str, query: Mapping[str, str] | None = None) -> Selected:
    """By the address or the given query. Raises Http404 both if nothing matches and if this user
    may not see it."""
    query = request.GET.dict() if query is None else query
    try:
        return Selected.of_query(request.user, slug, query)
    except NotSelected as missing:
        sentences = {
            "revision": gettext("There is no such revision."),
            "setting": gettext("There is no such setting."),
        }
        raise Http404(sentences.get(str(missing), "")) from None
