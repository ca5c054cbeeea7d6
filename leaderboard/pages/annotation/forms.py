"""Forms of organisers and staff: campaigns, known items, raters, reasons, and the marks of a rater,
entered one by one or imported from a file."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import Criterion
from evaluation.engine.registry import FAMILIES
from leaderboard.accounts.models import User
from leaderboard.accounts.teams import person_named
from leaderboard.annotation.campaigns import TERMS, create_campaign, fixed_terms
from leaderboard.annotation.errors import NotNow, RatingsRefused
from leaderboard.annotation.importing import ImportedRatings, import_ratings
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    MarkChange,
    Rater,
)
from leaderboard.annotation.rating import Author, enter_ratings
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.pages.annotation.entry import comment_field, mark_choice, mark_field
from leaderboard.pages.shared.panel_words import scale_name
from leaderboard.pages.submissions.forms import row_choice
from leaderboard.submissions.models import Submission

TITLE_CHARACTERS = 90
REASON_HELP = _("Stays on record with each mark that changes.")


class TermsForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only for mypy
    """A campaign's terms. Fixed terms are disabled, with the reason as help text."""

    class Meta:
        model = Campaign
        fields: ClassVar[tuple[str, ...]] = TERMS
        help_texts: ClassVar = {
            "per_item": _("The number of people who rate each generation independently."),
            "fewest_ratings": _("Until then it is marked as provisional."),
            "least_agreement": _(
                "The lower end of the interval of Krippendorff's alpha must reach it; 0.667 allows "
                "tentative conclusions, 0.8 firm ones."
            ),
        }
        widgets: ClassVar = {
            "closes": forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        }

    def __init__(self, data: Any, *, instance: Campaign) -> None:
        super().__init__(data, instance=instance)
        for name, why in fixed_terms(instance).items():
            self.fields[name].disabled = True
            self.fields[name].help_text = why


class CampaignForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only for mypy
    family_slug = forms.ChoiceField(
        label=_("Scales"),
        required=False,
        help_text=_(
            "If the benchmark is judged by tests, raters use the scales of another benchmark."
        ),
    )

    class Meta(TermsForm.Meta):
        fields = (TERMS[0], "revision", "family_slug", *TERMS[1:])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        rows = Revision.objects.select_related("benchmark")
        fields["revision"].queryset = rows.order_by("benchmark__title", "-imported")
        rated = [(family.slug, family.title) for family in FAMILIES.values() if family.is_rated]
        fields["family_slug"].choices = [("", _("the benchmark's own")), *rated]

    def made(self, user: User) -> Campaign | None:
        """Creates the campaign. Returns None and adds an error if there are no scales."""
        try:
            return create_campaign(user=user, **self.cleaned_data)
        except BenchmarkError:
            self.add_error("family_slug", _("This benchmark is judged by tests: choose scales."))
            return None


class SubmissionsForm(forms.Form):
    def __init__(self, *args: Any, among: QuerySet[Submission], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["submissions"] = forms.ModelMultipleChoiceField(
            among,
            label=_("Submissions"),
            error_messages={"required": _("Choose at least one submission.")},
        )


class KnownItemForm(forms.Form):
    task = forms.CharField(
        label=_("Task's id"), max_length=200, help_text=_("As in the benchmark's file.")
    )
    text = forms.CharField(
        label=_("Code"), widget=forms.Textarea({"rows": 10, "class": "code"}), strip=False
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        for criterion in campaign.criteria:
            name = criterion.name
            self.fields[mark_field(name)] = mark_choice(criterion, scale_name(name))

    def clean_task(self) -> Task:
        task: Task | None = self.campaign.revision.tasks.filter(
            external_id=self.cleaned_data["task"].strip()
        ).first()
        if task is None:
            raise ValidationError(_("This revision has no task with this id."))
        return task

    def marks(self) -> dict[str, int]:
        names = [criterion.name for criterion in self.campaign.criteria]
        return {name: self.cleaned_data[mark_field(name)] for name in names}


class RaterForm(forms.Form):
    person = forms.CharField(label=_("Username or e-mail"), max_length=254)
    adjudicates = forms.BooleanField(
        label=_("settles items on which other raters differ"), required=False
    )

    def clean_person(self) -> User:
        person = person_named(self.cleaned_data["person"])
        if person is None:
            raise ValidationError(_("No account has this name or e-mail."))
        return person


class OfferForm(forms.Form):
    about = forms.CharField(
        label=_("What the organisers should know"),
        max_length=2000,
        help_text=_("For example the programming languages that you read well."),
        widget=forms.Textarea({"rows": 3}),
    )


def reason_field(help_text: Any = "") -> forms.CharField:
    return forms.CharField(
        label=_("Reason"),
        max_length=2000,
        help_text=help_text,
        widget=forms.Textarea({"rows": 2}),
        error_messages={"required": _("Give a reason: it stays on record.")},
    )


class ReasonForm(forms.Form):
    reason = reason_field()


class MarksForm(forms.Form):
    """A mark and a comment per scale, and a reason. The domain code checks the marks."""

    def __init__(self, *args: Any, criteria: tuple[Criterion, ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.criteria = criteria
        for criterion in criteria:
            name = criterion.name
            label = f"{scale_name(name)} (1–{criterion.top})"
            self.fields[mark_field(name)] = mark_choice(
                criterion, label, required=False, empty_value=None
            )
            self.fields[comment_field(name)] = forms.CharField(
                label=_("Comment"), required=False, widget=forms.Textarea({"rows": 2})
            )
        self.fields["reason"] = reason_field(REASON_HELP)

    def entered(
        self, *, item: Item, rater: Rater, user: User, settles: bool = False
    ) -> list[MarkChange] | None:
        """Saves a valid form. Returns None and adds errors if the marks are rejected."""
        data, names = self.cleaned_data, [criterion.name for criterion in self.criteria]
        marks = {name: data[mark_field(name)] for name in names}
        try:
            return enter_ratings(
                item=item,
                rater=rater,
                marks={name: mark for name, mark in marks.items() if mark is not None},
                comments={name: data[comment_field(name)] for name in names},
                author=Author(user, MarkChange.By.STAFF, data["reason"]),
                settles=settles,
            )
        except NotNow as error:
            self.add_error(None, str(error))
        except ValidationError as error:
            by_scale = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
            for name, sentences in by_scale.items():
                field = mark_field(name) if mark_field(name) in self.fields else None
                self.add_error(field, list(sentences))
        return None


class EntryForm(MarksForm):
    """Marks that a rater of the campaign gave outside the site."""

    item = forms.IntegerField(
        label=_("Item"), min_value=1, help_text=_("Its number in the list of all items.")
    )
    settles = forms.BooleanField(label=_("settles a disagreement"), required=False, initial=False)

    def __init__(self, *args: Any, campaign: Campaign, user: User, **kwargs: Any) -> None:
        super().__init__(*args, criteria=campaign.criteria, **kwargs)
        self.campaign, self.user = campaign, user
        self.fields["rater"] = row_choice(
            campaign.raters.select_related("user"),
            lambda rater: f"{rater.number}: {rater.user.username if rater.user else '–'}",
            label=_("Rater"),
        )
        self.order_fields(("item", "rater", "settles"))
        if self.initial.get("item"):
            self.fields["item"].widget = forms.HiddenInput()

    def clean_item(self) -> Item:
        rows = Item.objects.known_to(self.user).filter(campaign=self.campaign)
        item: Item | None = rows.filter(pk=self.cleaned_data["item"]).first()
        if item is None:
            raise ValidationError(_("There is no such generation in this campaign."))
        return item

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        item, rater = data.get("item"), data.get("rater")
        done = Assignment.objects.filter(item=item, rater=rater, state=AssignmentState.DONE)
        if item and rater and done.exists():
            raise ValidationError(
                _("This rater has already rated this generation. Correct the marks there.")
            )
        return data


class PickForm(forms.Form):
    """Finds generations of a campaign by task and entrant. `items` are those to choose from."""

    def __init__(self, *args: Any, items: QuerySet[Item], user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.items = items.filter(kind=Item.Kind.GENERATION)
        tasks = Task.objects.filter(pk__in=self.items.values("task")).order_by("number")
        submissions = Submission.objects.visible_to(user).select_related("entrant")
        submissions = submissions.filter(pk__in=self.items.values("generation__submission"))
        self.fields["task"] = row_choice(
            tasks,
            lambda task: f"{task.external_id}: {task.title}"[:TITLE_CHARACTERS],
            label=_("Task"),
        )
        self.fields["submission"] = row_choice(
            submissions.order_by("entrant__name", "pk"),
            lambda row: f"{row.entrant.name} ({row.pk})",
            label=_("Entrant"),
        )

    def generations(self) -> list[Item]:
        """The generations of a valid form, by sample."""
        rows = self.items.filter(
            task=self.cleaned_data["task"], generation__submission=self.cleaned_data["submission"]
        )
        return list(rows.select_related("task", "generation").order_by("generation__sample", "pk"))


def next_to_enter(items: QuerySet[Item], item: Item, rater: Rater) -> Item | None:
    """The submission's next generation, by task, that the rater has not rated."""
    if item.generation is None:
        return None
    number = item.task.number
    later = Q(task__number__gt=number) | Q(task__number=number, pk__gt=item.pk)
    done = rater.assignments.filter(state=AssignmentState.DONE)
    rows = items.filter(later, generation__submission=item.generation.submission_id)
    rows = rows.exclude(pk__in=done.values("item")).select_related("generation")
    return rows.order_by("task__number", "pk").first()


class ImportForm(forms.Form):
    campaign = forms.ModelChoiceField(
        label=_("Campaign"), queryset=Campaign.objects.select_related("revision__benchmark")
    )
    file = forms.FileField(
        label=_("CSV file"),
        allow_empty_file=True,
        help_text=_(
            "The first line names the columns: rater (a username); item (its number), or "
            "submission and task_id, plus sample and requirement if there are several; a "
            "column named after each scale; “<scale> comment” for comments."
        ),
    )
    replace = forms.BooleanField(
        label=_("overwrite existing marks"),
        required=False,
        help_text=_("Otherwise a line that differs from an existing mark is a problem."),
    )

    reason = reason_field(REASON_HELP)

    refused: RatingsRefused | None = None

    def imported(self, user: User) -> ImportedRatings | None:
        """Imports the file of a valid form. Returns None and sets `refused` if it fails."""
        data = self.cleaned_data
        try:
            return import_ratings(
                campaign=data["campaign"],
                content=data["file"].read(),
                user=user,
                reason=data["reason"],
                replace=data["replace"],
            )
        except RatingsRefused as refused:
            self.refused = refused
            self.add_error("file", _("Nothing was imported: the file has problems."))
            return None
