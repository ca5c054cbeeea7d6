"""Organisers' forms: campaigns, known items, raters, reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.registry import FAMILIES
from leaderboard.accounts.models import User
from leaderboard.accounts.teams import person_named
from leaderboard.annotation.campaigns import create_campaign
from leaderboard.annotation.models import Campaign
from leaderboard.annotation.terms import TERMS, fixed_terms
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.pages.annotation.entry import mark_choice, mark_field, scale_name
from leaderboard.submissions.models import Submission

if TYPE_CHECKING:
    _CampaignForm = forms.ModelForm[Campaign]
else:
    _CampaignForm = forms.ModelForm


_HELP = {
    "per_item": _("The number of people who rate each generation independently."),
    "fewest_ratings": _("Until then it is marked as provisional."),
    "least_agreement": _(
        "The lower end of the interval of Krippendorff's alpha must reach it; 0.667 allows "
        "tentative conclusions, 0.8 firm ones."
    ),
}
_WIDGETS = {"closes": forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")}


class CampaignForm(_CampaignForm):
    family_slug = forms.ChoiceField(
        label=_("Scales"),
        required=False,
        help_text=_(
            "If the benchmark is judged by tests, raters use the scales of another benchmark."
        ),
    )

    class Meta:
        model = Campaign
        fields = (
            *("title", "revision", "family_slug", "per_item", "trial", "most_apart"),
            *("fewest_ratings", "least_agreement", "constant_marks", "closes"),
        )
        help_texts = _HELP
        widgets = _WIDGETS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = Revision.objects.select_related("benchmark")
        revision = self.fields["revision"]
        assert isinstance(revision, forms.ModelChoiceField)
        revision.queryset = rows.order_by("benchmark__title", "-imported")
        scales = self.fields["family_slug"]
        assert isinstance(scales, forms.ChoiceField)
        rated = [(family.slug, family.title) for family in FAMILIES.values() if family.is_rated]
        scales.choices = [("", _("the benchmark's own")), *rated]

    def made(self, user: User) -> Campaign | None:
        """Creates the campaign. Returns None and adds an error if there are no scales."""
        try:
            return create_campaign(user=user, **self.cleaned_data)
        except BenchmarkError:
            self.add_error("family_slug", _("This benchmark is judged by tests: choose scales."))
            return None


class TermsForm(_CampaignForm):
    """A campaign's terms. Fixed terms are disabled, with the reason as help text."""

    class Meta:
        model = Campaign
        fields = TERMS
        help_texts = _HELP
        widgets = _WIDGETS

    def __init__(self, data: Any, *, instance: Campaign) -> None:
        super().__init__(data, instance=instance)
        for name, why in fixed_terms(instance).items():
            self.fields[name].disabled = True
            self.fields[name].help_text = why

    def changed(self) -> list[str]:
        return [name for name in TERMS if name in self.changed_data]


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
        return {one.name: self.cleaned_data[mark_field(one.name)] for one in self.campaign.criteria}


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
