"""What the API answers. Shares are from 0 to 1, mean marks on their scale, times in UTC; null is
"undefined" or "unknown", never zero. Names of a board's row are those of its CSV file.

Records are read from objects, whose attributes the aliases name. Those with `populate_by_name` are
also made from values by their own names, as parts of longer records."""

from datetime import date, datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from ninja import Schema
from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, WithJsonSchema

from leaderboard.api.problems import Fault
from leaderboard.benchmarks.models import Revision
from leaderboard.messages import in_readers_language
from leaderboard.submissions.intake import report_of, submission_of
from leaderboard.submissions.models import Upload, UploadState
from leaderboard.text import storable

_Item = TypeVar("_Item")
# Pydantic writes "Z" for UTC itself, but not for a zone of the same offset.
Moment = Annotated[
    datetime,
    PlainSerializer(lambda t: f"{t:%Y-%m-%dT%H:%M:%SZ}", return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


def _stored(text: str) -> str:
    if text != storable(text):
        raise ValueError("It contains a character that cannot be stored.")
    return text


Text = Annotated[str, AfterValidator(_stored)]
Worded = Annotated[str, BeforeValidator(in_readers_language)]


class Page(Schema, Generic[_Item]):
    """`next` is the address of the next page, null on the last one."""

    items: list[_Item]
    next: str | None


class RevisionRecord(Schema):
    """`sha256` is the checksum of the imported files."""

    label: str
    sha256: str
    imported: Moment
    current: bool

    @staticmethod
    def resolve_current(revision: Revision) -> bool:
        return revision.pk == revision.benchmark.current_id


class BenchmarkRecord(Schema, populate_by_name=True):
    slug: str
    title: str
    summary: str = Field(validation_alias="summary_en")
    link: str
    family: str = Field(validation_alias="family_slug")
    metric: str
    setting: str
    settings: list[str]
    skills: list[str]
    accepts_submissions: bool = Field(validation_alias="accepts")
    human_baseline: float | None
    revision: str = Field(validation_alias="current.label")


class RecheckRecord(Schema):
    """How many verdicts of the present engine were given a second time, how many of these differ,
    and their share with its 95 % interval."""

    verdicts: int
    differing: int
    rate: float | None
    low: float | None
    high: float | None


class BenchmarkDetail(BenchmarkRecord):
    """`revisions` are newest first. `rechecks` are those of the current one."""

    revisions: list[RevisionRecord]
    rechecks: RecheckRecord


class TaskRecord(Schema):
    """`public` is the task without what judges it; `solve_rate` is the mean share of passing
    generations over the board's results; `excluded` is why the task does not count."""

    id: int | str = Field(validation_alias="id_in_dataset")
    number: int
    language: str
    natural_language: str
    level: str
    domain: str
    category: str
    date: Annotated[date | None, Field(validation_alias="dated")]
    solve_rate: float | None
    excluded: str | None
    public: dict[str, Any]


class BoardRow(Schema):
    rank_low: int | None
    rank_high: int | None
    entrant: str
    entrant_slug: str
    organisation: str
    weights: str
    size_in_billions: float | None
    score: float | None
    low: float | None
    high: float | None
    least: float | None
    most: float | None
    n: int | None
    tasks: int | None
    metrics: dict[str, float | None]
    slices: dict[str, float | None]
    provisional: str | None = None
    submission: str
    engine_version: str
    image: str
    passes_outside: int | None
    passes_shared: int | None
    team_runs_evaluated: int | None
    team_runs_published: int | None
    team_runs_declared: int | None
    team_runs_never_uploaded: int | None
    team_runs_withdrawn: int | None
    run_by: str | None
    published: Moment | None
    judged: Moment | None


class BoardRecord(Schema):
    """`marks_to` is the best mark of a board that people rate, whose scores are marks from 1;
    `entrants` counts all rows, with those that the filters leave out; `slice` names what `slices`
    of the rows are values of."""

    benchmark: str
    revision: str
    revision_sha256: str
    setting: str
    metric: str
    marks_to: int | None
    made: Moment | None
    results_being_scored_again: int
    entrants: int
    slice: str
    references: dict[str, float | None]
    human_baseline: float | None
    comparison: dict[str, Any]
    rechecks: RecheckRecord
    rows: list[BoardRow]


class MeanBoard(Schema):
    benchmark: str
    setting: str
    slice: str
    value: str


class MeanRow(Schema):
    """Scores are marks from `marks_from` to `marks_to`, or shares if these are null. `first`: the
    entrant leads, or is tied with the first one; `without`: benchmarks and settings on which it has
    no result, so that it is not compared."""

    entrant: str
    entrant_slug: str
    score: float
    low: float | None
    high: float | None
    marks_from: int | None
    marks_to: int | None
    first: Literal["leads", "tied"] | None
    p_against_first: float | None
    without: list[str]


class MeanColumn(Schema):
    """`tested`: whether differences are tested; null while that is being computed."""

    column: str
    boards: list[MeanBoard]
    tested: bool | None
    rows: list[MeanRow]


class MeansRecord(Schema):
    by: str
    columns: list[MeanColumn]


class EditionRow(Schema):
    submission: str = Field(validation_alias="submission.public_id")
    entrant_slug: str = Field(validation_alias="submission.entrant.slug")
    rank_low: int
    rank_high: int
    score: float = Field(validation_alias="value")
    low: float | None
    high: float | None


class EditionRecord(Schema):
    """An order that the board had from `made` on; its page is `/benchmarks/SLUG/editions/ID/`.
    `ranked` counts all of its rows; `rows` lacks those that are withdrawn or deleted."""

    id: str = Field(validation_alias="public_id")
    made: Moment = Field(validation_alias="made_at")
    metric: str
    engine_version: str = Field(validation_alias="engine")
    metrics_version: str = Field(validation_alias="metrics")
    ranked: int
    rows: list[EditionRow] = Field(validation_alias="public")


class EntrantRecord(Schema, populate_by_name=True):
    slug: str
    name: str = Field(validation_alias="shown_name")
    organisation: str
    weights: str
    size_in_billions: float | None = Field(validation_alias="parameters")
    training_data_until: date | None = Field(validation_alias="cutoff")
    link: str
    description: str


class ResultRecord(Schema):
    benchmark: str
    revision: str
    setting: str
    submission: str
    rank_low: int | None
    rank_high: int | None
    ranked: int | None


class EntrantDetail(EntrantRecord):
    """`results` are the published ones on boards of current revisions."""

    results: list[ResultRecord]


class ScoreRecord(Schema):
    """The score of a slice ("overall": of all tasks) with its 95 % interval; `n` generations of
    `tasks` tasks. `least` and `most` bound what is still possible while it is not settled."""

    metric: str
    slice: str
    slice_value: str
    value: float | None
    low: float | None
    high: float | None
    least: float | None
    most: float | None
    n: int
    tasks: int
    lower_is_better: bool


class SubmissionRecord(ResultRecord):
    """`published` is null while only its team sees it."""

    entrant: str
    published: Moment | None
    state: str
    judged: Moment | None
    engine_version: str
    image: str
    generations: int
    passes_outside: int | None
    passes_shared: int | None
    scores: list[ScoreRecord]


class ReceiptRecord(Schema):
    """Whether a receipt is that of the result which everyone sees now; `valid` is the digest of the
    one that is, if there is one. "unlisted": the site does not show the benchmark any more."""

    state: Literal["valid", "superseded", "withdrawn", "unlisted"]
    submission: str
    made: Moment
    valid: str | None


class ComparisonRecord(Schema):
    """The first entrant's score less the second one's on the tasks that both have, with its 95 %
    interval. `p` is the page's: on the whole board corrected for all of its pairs, on a slice for
    the slice. Null: not computed."""

    first: str
    second: str
    metric: str
    slice: str
    slice_value: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    tasks: int
    clusters: int


class TokenRecord(Schema):
    name: str
    user: str = Field(validation_alias="user.username")
    team: str = Field(validation_alias="membership.team.slug")
    scopes: list[str] = Field(validation_alias="scope_names")
    expires: Moment


class NewEntrant(Schema, extra="forbid"):
    """As in EntrantRecord."""

    name: Text
    organisation: Text = ""
    weights: Literal["open", "closed", ""] = ""
    size_in_billions: Annotated[float, Field(allow_inf_nan=False)] | None = None
    training_data_until: date | None = None
    link: Text = ""
    description: Text = ""


class NewUpload(Schema):
    """`entrant` is a slug, which a file that is only checked (`check`) may lack. Without a setting
    it is the benchmark's first one."""

    benchmark: str
    setting: str = ""
    entrant: str = ""
    check: bool = False


class Confirmation(Schema, extra="forbid"):
    """`confirmed` repeats all sentences of the report's `confirmations`."""

    confirmed: list[str] = []


class ReportRecord(Schema):
    """`more` problems are not listed. `missing` tasks have no generation; `tasks` of `tasks_total`
    have one. `samples_min` and `samples_max` are over the places that have generations."""

    ok: bool
    format: str
    format_words: Worded
    generations: int
    tasks: int = Field(validation_alias="tasks_seen")
    tasks_total: int
    samples_min: int | None
    samples_max: int | None
    problems: list[Annotated[Fault, BeforeValidator(Fault.from_problem)]]
    more: int
    warnings: list[Worded]
    confirmations: list[Worded]
    missing: list[int | str]


class UploadRecord(Schema):
    """`over`: nothing more happens without a request. `expires`: until when the file is kept.
    `cause`: why the site failed at it, if it did. `submission` is its id once it is stored."""

    id: str = Field(validation_alias="public_id")
    benchmark: str = Field(validation_alias="revision.benchmark.slug")
    revision: str = Field(validation_alias="revision.label")
    setting: str
    entrant: str = Field(validation_alias="entrant.slug")
    file: str = Field(validation_alias="name")
    size: int
    sha256: str
    check: bool = Field(validation_alias="only_check")
    state: str
    over: bool
    created: Moment
    expires: Moment
    cause: Worded
    report: ReportRecord | None
    submission: str | None

    resolve_report = staticmethod(report_of)

    @staticmethod
    def resolve_over(upload: Upload) -> bool:
        return upload.state not in UploadState.moving()

    @staticmethod
    def resolve_submission(upload: Upload) -> str | None:
        submission = submission_of(upload)
        return submission.public_id if submission else None


class OwnSubmissionRecord(Schema, populate_by_name=True):
    """A submission of the team. `published` is null while it is private. `state` is "" before an
    evaluation."""

    submission: str = Field(validation_alias="public_id")
    benchmark: str = Field(validation_alias="revision.benchmark.slug")
    revision: str = Field(validation_alias="revision.label")
    setting: str
    entrant: str = Field(validation_alias="entrant.slug")
    created: Moment
    published: Moment | None
    state: str
    over: bool


class ExpectedEnd(Schema):
    earliest: Moment
    latest: Moment


class ProgressRecord(OwnSubmissionRecord):
    """`judged` of `total` generations; `counts` are by kind of verdict. `remarks` say why it waits,
    `hold` why it cannot be published. `score` is the overall score of the board's metric, if it
    is settled."""

    total: int
    judged: int
    counts: dict[str, int]
    expected_end: ExpectedEnd | None
    remarks: list[str]
    hold: str
    metric: str
    score: float | None
    low: float | None
    high: float | None
