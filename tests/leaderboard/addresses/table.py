"""The table of what every address answers to every role.

A line is an address, and what GET and POST answer to a stranger, another team's member, a member,
an owner and staff, in this order; one word stands for all five.

    200, 403, 404, 405, 422   the status
    in                        a redirect to the sign-in page
    go                        a redirect to another page"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Generation
from tests.leaderboard.addresses.marked import ROLES, Site

Args = Callable[[Site], list[Any]]

NO_POST = "405"
SIGNED_IN = "in 200 200 200 200"
SIGNED_IN_NO_POST = "in 405 405 405 405"
OWN = "in 404 200 200 200"
ACTION = "in 404 go go go"
OWN_OR_PUBLIC = "404 404 200 200 200"
STAFF_ONLY = "404 404 404 404 200"
NOT_THEIRS = "in 404 404 404 404"
ORGANISED = "in 404 404 404"


@dataclass(frozen=True)
class Line:
    name: str
    args: Args
    get: str
    post: str = NO_POST
    data: dict[str, Any] = field(default_factory=dict)

    def url(self, site: Site) -> str:
        return reverse(self.name, args=self.args(site))

    def expected(self, method: str) -> dict[str, str]:
        words = {"GET": self.get, "POST": self.post}[method].split()
        return dict(zip(ROLES, words * len(ROLES) if len(words) == 1 else words, strict=False))


def _named(*words: Any) -> Args:
    """Arguments that are the same on every site."""
    return lambda _site: list(words)


def _on(attribute: str, *more: Any) -> Args:
    """The slug or key of an object of the site, then `more`."""

    def args(site: Site) -> list[Any]:
        thing = getattr(site, attribute)
        return [getattr(thing, "slug", None) or thing.pk, *more]

    return args


def _generation(attribute: str) -> Args:
    """A submission and its first generation."""

    def args(site: Site) -> list[Any]:
        submission = getattr(site, attribute).pk
        rows = Generation.with_unfinished.filter(submission=submission).defer("text")
        return [submission, rows.order_by("pk")[0].pk]

    return args


def _public_id(attribute: str) -> Args:
    return lambda site: [getattr(site, attribute).public_id]


def _digest(attribute: str) -> Args:
    return lambda site: [getattr(site, attribute).digest]


def _team(site: Site) -> list[Any]:
    return [site.cast.northwood.slug]


def _member(site: Site) -> list[Any]:
    return [site.cast.northwood.slug, site.membership.pk]


def _webhook(site: Site) -> list[Any]:
    return [site.cast.northwood.slug, site.webhook.pk]


def _edition(attribute: str) -> Args:
    """The newest edition of the benchmark's first board, which is made empty if it has none."""

    def args(site: Site) -> list[Any]:
        benchmark = getattr(site, attribute)
        board, _ = Board.objects.get_or_create(
            revision=benchmark.current, setting=benchmark.setting, defaults={"metric": "pass@1"}
        )
        row = board.editions.first() or board.editions.create(made_at=timezone.now(), ranked=0)
        return [benchmark.slug, row.public_id]

    return args


def _benchmark_lines(attribute: str, get: str) -> Iterator[Line]:
    yield Line("benchmark", _on(attribute), get)
    yield Line("board-csv", _on(attribute), get)
    yield Line("board-json", _on(attribute), get)
    yield Line("board-tex", _on(attribute), get)
    yield Line("board-md", _on(attribute), get)
    # Everybody sees what visitors see.
    yield Line("embedded", _on(attribute), get if get == "200" else "404")
    yield Line("board-matrix", _on(attribute), get)
    yield Line("editions", _on(attribute), get)
    yield Line("edition", _edition(attribute), get)
    yield Line("edition", _on(attribute, "nowhere"), "404")
    yield Line("tasks", _on(attribute), get)
    yield Line("task", _on(attribute, 0), get)
    yield Line("chart", _on(attribute, "tasks"), get)
    yield Line("chart-table", _on(attribute, "tasks"), get)
    yield Line("compare-board", _on(attribute), get)
    # Without an entrant there is no badge.
    yield Line("badge", _on(attribute), "404")
    # Nobody here may see the code of two entrants of the board.
    yield Line("compare-codes", _on(attribute, 0), "404")


def _submission_lines(attribute: str, get: str) -> Iterator[Line]:
    yield Line("submission", _on(attribute), get)
    yield Line("submission-live", _on(attribute), get)
    yield Line("submission-task", _on(attribute, 0), get)
    yield Line("submission-verdicts", _on(attribute), get)
    yield Line("answer", _generation(attribute), OWN_OR_PUBLIC)
    for action in ("answer", "cancel", "hide", "publish", "show", "withdraw"):
        yield Line(f"submission-{action}", _on(attribute), "405", ACTION)


def _unfinished_lines() -> Iterator[Line]:
    """Nobody finds a submission that is still being stored, not even staff."""
    for page, more in (("", ()), ("-live", ()), ("-task", (0,)), ("-verdicts", ())):
        yield Line(f"submission{page}", _on("unfinished", *more), "404")
    yield Line("answer", _generation("unfinished"), "404")
    for action in ("answer", "cancel", "hide", "publish", "show", "withdraw"):
        yield Line(f"submission-{action}", _on("unfinished"), NO_POST, NOT_THEIRS)


def _talk_lines(attribute: str, get: str) -> Iterator[Line]:
    """Addresses of a result of conversations; other results do not have them."""
    for page in ("submission", "submission-live"):
        yield Line(page, _on(attribute), get)
    yield Line("submission-task", _on(attribute, 0), get)
    yield Line("submission-conversation", _on(attribute, 0, 1), get)


def _upload_lines(attribute: str) -> Iterator[Line]:
    yield Line("upload", _on(attribute), OWN, SIGNED_IN_NO_POST)
    yield Line("upload-live", _on(attribute), OWN, SIGNED_IN_NO_POST)
    yield Line("upload-confirm", _on(attribute), "405", ACTION)
    yield Line("upload-discard", _on(attribute), "405", ACTION)


def _zip_lines() -> Iterator[Line]:
    yield Line("upload-zip", _on("upload"), OWN, SIGNED_IN_NO_POST)
    yield Line("upload-zip-live", _on("upload"), OWN, SIGNED_IN_NO_POST)
    yield Line("upload-zip-confirm", _on("upload"), "405", ACTION)
    # This upload did not come in a zip.
    yield Line("upload-zip", _on("refused"), NOT_THEIRS, SIGNED_IN_NO_POST)


def _run_lines() -> Iterator[Line]:
    """Only its team finds a run; staff do not."""
    own, action = "in 404 200 200 404", "in 404 go go 404"
    yield Line("run-new", _named(), SIGNED_IN, "in 422 422 422 422")
    yield Line("run", _on("run"), own, SIGNED_IN_NO_POST)
    yield Line("run-live", _on("run"), own, SIGNED_IN_NO_POST)
    yield Line("run-stop", _on("run"), NO_POST, action)
    yield Line("run-resume", _on("run"), NO_POST, action, {"key": "sk-veiled-key"})


def _item(site: Site) -> list[Any]:
    return [site.campaign.pk, site.assignment.item_id]


def _rated(site: Site) -> list[Any]:
    generation = site.assignment.item.generation
    assert generation is not None
    return [site.campaign.pk, generation.submission_id]


def _rating_lines() -> Iterator[Line]:
    """Addresses of a campaign in which none of the five roles rates, and which staff organise."""
    yield Line("rate", _named(), SIGNED_IN, SIGNED_IN_NO_POST)
    yield Line("rate-ask", _named(), SIGNED_IN_NO_POST, "in go go go go", {"about": "Java"})
    yield Line("rate-campaign", _on("campaign"), NOT_THEIRS, SIGNED_IN_NO_POST)
    yield Line("rate-practice", _on("campaign", 1), NOT_THEIRS, NOT_THEIRS)
    yield Line("rate-next", _on("campaign"), SIGNED_IN_NO_POST, NOT_THEIRS)
    yield Line("rate-item", _on("assignment"), NOT_THEIRS, SIGNED_IN_NO_POST)
    yield Line("rate-save", _on("assignment"), NO_POST, NOT_THEIRS)
    yield Line("rate-skip", _on("assignment"), NO_POST, NOT_THEIRS, {"reason": "x"})
    # Scripts ask for these, and get a status rather than a redirect to the sign-in page.
    yield Line("rate-draft", _on("assignment"), NO_POST, "401 404 404 404 404")
    yield Line("rate-here", _on("assignment"), NO_POST, "401 404 404 404 404")
    yield Line("rate-leave", _on("assignment"), NO_POST, "401 404 404 404 404")


def _campaign_lines() -> Iterator[Line]:
    no_post, wrong = f"{ORGANISED} 405", f"{ORGANISED} 422"
    shown, done = f"{ORGANISED} 200", f"{ORGANISED} go"
    yield Line("campaigns", _named(), shown, no_post)
    yield Line("campaign-new", _named(), shown, wrong)
    for page in ("", "-raters", "-differences", "-disagreements", "-skips", "-items", "-marks"):
        yield Line(f"campaign{page}", _on("campaign"), shown, no_post)
    for page in ("-submissions", "-known", "-terms"):
        yield Line(f"campaign{page}", _on("campaign"), shown, wrong)
    # The submission has a rated item, so it stays.
    yield Line("campaign-submission-remove", _rated, shown, wrong, {"reason": "x"})
    yield Line("campaign-item", _item, shown, no_post)
    yield Line("campaign-rater", _on("campaign", 1), shown, no_post)
    yield Line("rater-add", _on("campaign"), no_post, wrong)
    for action in ("rater-admit", "rater-dismiss"):
        yield Line(action, _on("campaign", 1), no_post, done, {"reason": "x"})
    for action in ("campaign-open", "campaign-close", "campaign-choose"):
        yield Line(action, _on("campaign"), no_post, done)


def _account_lines() -> Iterator[Line]:
    """Everyone but strangers is signed in, and sent on from the pages for signing in. What changes
    how a person signs in asks for the password again."""
    again = "in go go go go"
    for name in ("sign-in", "sign-up"):
        yield Line(name, _named(), "200 go go go go", "200 go go go go")
    yield Line("account_inactive", _named(), "200")
    yield Line("sign-out", _named(), "405", "go")
    yield Line("password-reset", _named(), "200", "200")
    yield Line("account_reset_password_done", _named(), "200")
    yield Line("account_reset_password_from_key", _named("1", "no-token"), "200", "200")
    yield Line("account_reset_password_from_key_done", _named(), "200")
    yield Line("account", _named(), SIGNED_IN, again)
    yield Line("account-export", _named(), SIGNED_IN, SIGNED_IN_NO_POST)
    yield Line("tokens", _named(), SIGNED_IN, again)
    yield Line("token-revoke", _on("token"), SIGNED_IN_NO_POST, "in 404 go 404 404")
    yield Line("account-delete", _named(), SIGNED_IN, "in 422 422 422 422")
    yield Line("password-change", _named(), SIGNED_IN, SIGNED_IN)
    yield Line("account_set_password", _named(), again, again)
    yield Line("account_email", _named(), SIGNED_IN, again)
    yield Line("account_email_verification_sent", _named(), "200")
    yield Line("account_confirm_email", _named("no-key"), "200", "404")
    yield Line("account_reauthenticate", _named(), SIGNED_IN, SIGNED_IN)
    yield Line("account_request_reauthentication_code", _named(), SIGNED_IN, SIGNED_IN)
    yield Line("account_confirm_reauthentication_code", _named(), again, again)
    yield Line("usersessions_list", _named(), SIGNED_IN, again)
    yield Line("socialaccount_connections", _named(), SIGNED_IN, SIGNED_IN)
    yield Line("socialaccount_signup", _named(), "in", "in")
    yield Line("socialaccount_login_cancelled", _named(), "200")
    yield Line("socialaccount_login_error", _named(), "401")
    # No provider is set, and nobody has a second factor.
    yield Line("openid_connect_login", _named("none"), "404", "404")
    yield Line("openid_connect_callback", _named("none"), "404", "404")
    yield Line("mfa_index", _named(), SIGNED_IN, SIGNED_IN_NO_POST)
    yield Line("mfa_list_webauthn", _named(), SIGNED_IN, SIGNED_IN_NO_POST)
    yield Line("mfa_view_recovery_codes", _named(), NOT_THEIRS, SIGNED_IN_NO_POST)
    for name in ("deactivate_totp", "download_recovery_codes"):
        yield Line(f"mfa_{name}", _named(), NOT_THEIRS, NOT_THEIRS)
    for name in (
        "authenticate",
        "login_webauthn",
        "reauthenticate",
        "reauthenticate_webauthn",
        "activate_totp",
        "generate_recovery_codes",
        "add_webauthn",
    ):
        yield Line(f"mfa_{name}", _named(), again, again)
    for name in ("remove_webauthn", "edit_webauthn"):
        yield Line(f"mfa_{name}", _named(1), again, again)


def _api_lines() -> Iterator[Line]:
    """The API knows no sessions: with cookies alone, everybody is a stranger. What tokens may do is
    in api/test_walk.py."""
    for name in ("openapi-json", "openapi-view", "benchmarks", "entrants", "means"):
        yield Line(f"api:{name}", _named(), "200")
    for name in ("benchmark", "tasks", "board", "editions"):
        yield Line(f"api:{name}", _on("benchmark"), "200")
        yield Line(f"api:{name}", _on("unlisted"), "404")
    yield Line("api:matrix", _on("benchmark"), "go")
    yield Line("api:matrix", _on("unlisted"), "404")
    # Without the two entrants.
    yield Line("api:comparison", _on("benchmark"), "422")
    yield Line("api:entrant", _on("larch"), "200")
    yield Line("api:entrant", _on("secret"), "404")
    for attribute, get in (("published", "200"), ("private", "404"), ("unfinished", "404")):
        yield Line("api:submission", _public_id(attribute), get)
        yield Line("api:every_eval_ever", _public_id(attribute), get)
        yield Line("api:verdicts", _public_id(attribute), get)
        yield Line("api:receipt", _public_id(attribute), get)
    for attribute, get in (("receipt", "200"), ("unlisted_receipt", "404")):
        yield Line("api:receipt_state", _digest(attribute), "200")
        yield Line("api:receipt_verdicts", _digest(attribute), get)
    needs = "401"
    for name in ("token", "team_submissions"):
        yield Line(f"api:{name}", _named(), needs)
    yield Line("api:team_entrants", _named(), needs, needs)
    yield Line("api:upload_new", _named(), "405", needs)
    yield Line("api:upload", _public_id("upload"), needs)
    for name in ("submit", "discard"):
        yield Line(f"api:upload_{name}", _public_id("upload"), "405", needs)
    yield Line("api:submission_progress", _public_id("published"), needs)
    for name in ("cancel", "publish", "withdraw"):
        yield Line(f"api:submission_{name}", _public_id("published"), "405", needs)
    for name in ("api:api-root", "api-start"):
        yield Line(name, _named(), "404", "404")
    yield Line("api-nothing", _named("nothing"), "404", "404")


TABLE = (
    Line("home", _named(), "200"),
    Line("benchmarks", _named(), "200"),
    *_benchmark_lines("benchmark", "200"),
    *_benchmark_lines("unlisted", STAFF_ONLY),
    Line("compare", _named(), "200"),
    # No entrant has results on two benchmarks.
    Line("means-chart", _named(), "404"),
    Line("means-table", _named(), "404"),
    Line("feed", _named(), "200"),
    Line("receipt-keys", _named(), "200"),
    Line("means-csv", _named(), "200"),
    Line("means-json", _named(), "200"),
    Line("robots", _named(), "200"),
    Line("search", _named(), "200"),
    Line("sitemap", _named(), "200"),
    Line("entrants", _named(), "200"),
    Line("entrant", _on("larch"), "200"),
    Line("entrant", _on("secret"), OWN_OR_PUBLIC),
    Line("team-results", _team, "200"),
    Line("team-results", _named("fenland"), "404 200 404 404 200"),
    Line("docs", _named(), "200"),
    Line("doc", _named("metrics"), "200"),
    *_account_lines(),
    Line("team-new", _named(), SIGNED_IN, "in go go go go", {"name": "Moorland"}),
    Line("team", _team, OWN, OWN),
    Line("team-rename", _team, SIGNED_IN_NO_POST, "in 404 403 go 404", {"name": "Moorland"}),
    Line("member-add", _team, SIGNED_IN_NO_POST, "in 404 403 go 404", {
        "person": "dora", "role": "member"}),
    Line("webhooks", _team, "in 404 403 200 404", "in 404 403 422 404"),
    Line("webhook-change", _webhook, SIGNED_IN_NO_POST, "in 404 403 go 404"),
    # The invitation is for none of the five roles; an owner takes it back.
    Line("invitation-answer", _on("invitation"), SIGNED_IN_NO_POST, "in 404 404 go 404"),
    Line("member-role", _member, SIGNED_IN_NO_POST, "in 404 403 go 404", {"role": "owner"}),
    Line("member-remove", _member, SIGNED_IN_NO_POST, "in 404 go go 404"),
    Line("entrant-new", _team, "in 404 200 200 404", "in 404 go go 404", {"name": "Alder"}),
    Line("entrant-edit", _on("larch"), "in 404 200 200 404", "in 404 go go 404", {"name": "Elm"}),
    Line("entrant-delete", _on("larch"), "in 404 200 200 404", "in 404 422 422 404"),
    Line("entrant-delete", _on("secret"), "in 404 200 200 404", "in 404 go go 404"),
    Line("submission-delete", _on("published"), "in 404 200 200 404", "in 404 422 422 404"),
    Line("submission-delete", _on("private"), "in 404 200 200 404", "in 404 go go 404"),
    Line("submission-delete", _on("unfinished"), NOT_THEIRS, NOT_THEIRS),
    Line("submit", _named(), SIGNED_IN, "in 422 422 422 422"),
    Line("harness", _named(), "200"),
    Line("harness-task", _on("benchmark", "base"), "200"),
    Line("harness-task", _on("unlisted", "base"), STAFF_ONLY),
    Line("harness-questions", _on("benchmark", "base"), "200"),
    Line("submit-template", _on("benchmark", "base"), "200"),
    Line("submit-template", _on("unlisted", "base"), STAFF_ONLY),
    Line("submit-template", _on("benchmark", "nothing"), "404"),
    Line("harness-questions", _on("unlisted", "base"), STAFF_ONLY),
    *_upload_lines("upload"),
    *_upload_lines("refused"),
    *_zip_lines(),
    *_run_lines(),
    Line("uploads-discard", _named(), SIGNED_IN_NO_POST, "in go go go go"),
    Line("declarations", _named(), SIGNED_IN, "in 422 422 422 422"),
    Line("declaration-withdraw", _on("declaration"), NO_POST, ACTION),
    Line("submissions", _named(), SIGNED_IN, SIGNED_IN_NO_POST),
    *_submission_lines("published", "200"),
    *_submission_lines("private", OWN_OR_PUBLIC),
    *_submission_lines("judging", OWN_OR_PUBLIC),
    *_unfinished_lines(),
    *_talk_lines("talk", "200"),
    *_talk_lines("private_talk", OWN_OR_PUBLIC),
    *_rating_lines(),
    *_campaign_lines(),
    *_api_lines(),
    Line("health", _named(), "200"),
    Line("signed-in", _named(), "401 204 204 204 204"),
    # No worker runs here.
    Line("ready", _named(), "503"),
    Line("language", _named("ru"), "go"),
    Line("language", _named("xx"), "404"),
)  # fmt: skip

# What the admin's pages for each kind of row answer to staff with every right: list, add, history,
# delete, change. Rows that the site computes cannot be added, deleted or changed.
PAGES = ("changelist", "add", "history", "delete", "change")
EDITED, KEPT = "200 200 200 200 200", "200 403 200 403 200"
MODELS = {
    "auth_group": EDITED,
    "accounts_user": EDITED,
    "mfa_authenticator": "200 403 200 200 200",
    "accounts_team": EDITED,
    "accounts_invitation": "200 403 200 200 200",
    "accounts_entrant": EDITED,
    "accounts_organisationdomain": EDITED,
    "benchmarks_benchmark": KEPT,
    "benchmarks_revision": KEPT,
    "benchmarks_task": KEPT,
    "submissions_upload": KEPT,
    "submissions_submission": KEPT,
    "submissions_generation": KEPT,
    "submissions_declaration": KEPT,
    "submissions_ledgerentry": KEPT,
    "submissions_copy": KEPT,
    "generation_run": KEPT,
    "evaluation_evaluation": KEPT,
    "evaluation_chunk": KEPT,
    "evaluation_recheck": KEPT,
    "evaluation_recheckedtask": KEPT,
    "evaluation_review": KEPT,
    "evaluation_verdict": KEPT,
    "evaluation_referenceverdict": KEPT,
    "benchmarks_taskexclusion": "200 403 200 200 200",
    "evaluation_projectbuild": "200 403 200 200 200",
    "evaluation_projecttimes": "200 403 200 200 200",
    "evaluation_worker": KEPT,
    "auditlog_logentry": KEPT,
    "mail_outgoingmail": "200 403 200 200 200",
    "scores_taskresult": KEPT,
    "scores_score": KEPT,
    "scores_board": KEPT,
    "scores_standing": KEPT,
    "scores_taskstatistics": KEPT,
    "scores_edition": KEPT,
    "annotation_assignment": "200 200 200 403 200",
    "annotation_rating": KEPT,
    "annotation_markchange": KEPT,
}


def hidden_page(site: Site, task: int = 0) -> str:
    """The only address that shows the hidden part of a task."""
    first = site.benchmark.current.tasks.get(number=task)
    return reverse("admin:benchmarks_task_hidden", args=[first.pk])


def admin_addresses(site: Site) -> dict[str, str]:
    """What staff with every right get, by address."""
    found = {
        reverse("admin:index"): "200",
        reverse("admin-overview"): "200",
        reverse("admin:password_change"): "200",
        reverse("admin:password_change_done"): "200",
        reverse("admin:jsi18n"): "200",
        reverse("admin:autocomplete"): "403",
        reverse("admin:view_on_site", args=[_kind_of_users(), site.cast.bob.pk]): "404",
        reverse("admin:app_list", args=["benchmarks"]): "200",
        reverse("admin:benchmarks_benchmark_import"): "200",
        reverse("admin:benchmarks_benchmark_list", args=[site.benchmark.pk]): "403",
        reverse("admin:annotation_assignment_import"): "200",
        reverse("admin:evaluation_verdict_desk"): "200",
        reverse("admin:auth_user_password_change", args=[site.cast.bob.pk]): "200",
        reverse("admin:accounts_team_name", args=[site.cast.northwood.pk]): "200",
        reverse("admin:accounts_entrant_name", args=[site.larch.pk]): "200",
        "/admin/nothing/": "404",
        hidden_page(site): "200",
        hidden_page(site).replace("/hidden/", "/leave-out/"): "200",
    }
    for model, words in MODELS.items():
        for page, word in zip(PAGES, words.split(), strict=True):
            found[model_page(model, page)] = word
        found[model_page(model, "change").removesuffix("change/")] = "go"
    return found


def model_page(model: str, page: str) -> str:
    """The page of the model, or of its first row if the page shows a row."""
    if page in ("changelist", "add"):
        return reverse(f"admin:{model}_{page}")
    return reverse(f"admin:{model}_{page}", args=[_first(model)])


def _kind_of_users() -> int:
    return ContentType.objects.get_for_model(User).pk


def _first(model: str) -> Any:
    found = apps.get_model(model.replace("_", "."))
    if found is Generation:
        return Generation.objects.defer("text").order_by("pk")[0].pk
    row = found._default_manager.order_by("pk").first()
    return row.pk if row else found._default_manager.create().pk
