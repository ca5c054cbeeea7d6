"""Forms with which staff enter one rater's marks or import a file of marks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from evaluation.engine.family import Criterion
from leaderboard.accounts.models import User
from leaderboard.annotation.errors import NotNow, RatingsRefused
from leaderboard.annotation.importing import Imported, import_ratings
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    MarkChange,
    Rater,
)
from leaderboard.annotation.rating import Author, enter_ratings
from leaderboard.benchmarks.models import Task
from leaderboard.pages.annotation.entry import comment_field, mark_choice, mark_field, scale_name
from leaderboard.pages.annotation.forms import reason_field
from leaderboard.pages.shared.public import task_title
from leaderboard.submissions.models import Submission

TITLE_CHARACTERS = 90
_Row = TypeVar("_Row", bound=Model)
REASON_HELP = _("Stays on record with each mark that changes.")


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


def _choice(
    rows: QuerySet[_Row], label: Any, words: Callable[[_Row], str]
) -> forms.ModelChoiceField[_Row]:
    """A field with a row's `words` as its options."""
    field = forms.ModelChoiceField(rows, label=label)
    field.label_from_instance = words  # type: ignore[assignment]  # else a class for each
    return field


class EntryForm(MarksForm):
    """Marks that a rater of the campaign gave outside the site."""

    item = forms.IntegerField(
        label=_("Item"), min_value=1, help_text=_("Its number in the list of all items.")
    )
    settles = forms.BooleanField(label=_("settles a disagreement"), required=False, initial=False)

    def __init__(self, *args: Any, campaign: Campaign, user: User, **kwargs: Any) -> None:
        super().__init__(*args, criteria=campaign.criteria, **kwargs)
        self.campaign, self.user = campaign, user
        self.fields["rater"] = _choice(
            campaign.raters.select_related("user"),
            _("Rater"),
            lambda rater: f"{rater.number}: {rater.user.username if rater.user else '–'}",
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
        submissions = (
            Submission.objects.visible_to(user)
            .filter(pk__in=self.items.values("generation__submission"))
            .select_related("entrant")
            .order_by("entrant__name", "pk")
        )
        self.fields["task"] = _choice(
            tasks,
            _("Task"),
            lambda task: f"{task.external_id}: {task_title(task)}"[:TITLE_CHARACTERS],
        )
        self.fields["submission"] = _choice(
            submissions, _("Entrant"), lambda row: f"{row.entrant.name} ({row.pk})"
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
    return (
        items.filter(later, generation__submission=item.generation.submission_id)
        .exclude(pk__in=done.values("item"))
        .select_related("generation")
        .order_by("task__number", "pk")
        .first()
    )


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

    def imported(self, user: User) -> Imported | None:
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
