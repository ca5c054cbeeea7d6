"""Admin of ratings. Staff who rate in a campaign see only the marks that its raters may see."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.annotation.models import Assignment, Campaign, Item, MarkChange, Rater, Rating
from leaderboard.annotation.rating import scales_of
from leaderboard.pages.annotation.entry import comment_field, mark_field
from leaderboard.pages.annotation.forms import (
    EntryForm,
    ImportForm,
    MarksForm,
    PickForm,
    next_to_enter,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import shown_text
from leaderboard.pages.shared.panel_words import scale_name
from leaderboard.pages.shared.public import fields_in
from leaderboard.site_admin.bases import ReadOnly, column

# Relations that the columns for a mark's item, rater and campaign read.
_PLACE = ("assignment__item__task", "assignment__item__campaign", "assignment__rater")
CAMPAIGN = column("assignment.item.campaign", gettext_lazy("campaign"))
RATER = column("assignment.rater", gettext_lazy("rater"))


@admin.display(description=gettext_lazy("item"))
def rated_item(row: Any) -> str:
    return f"{row.assignment.item.task.external_id} ({row.assignment.item_id})"


@admin.register(Rating)
class RatingAdmin(ReadOnly):
    list_display = ("id", CAMPAIGN, rated_item, RATER, "criterion", "value", "changed")
    list_select_related = _PLACE
    list_filter = ("assignment__item__campaign", "criterion", "value")
    search_fields = ("=assignment__item__id", "=assignment__item__task__external_id")
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Rating]:
        return Rating.objects.visible_to(request.user)


@admin.register(MarkChange)
class MarkChangeAdmin(ReadOnly):
    list_display = (
        *("id", CAMPAIGN, rated_item, RATER, "criterion", "old", "new", "how", "user", "created"),
    )
    list_select_related = (*_PLACE, "user")
    list_filter = ("how", "settles", "informed", "assignment__item__campaign")
    search_fields = ("=assignment__item__id", "reason")
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[MarkChange]:
        return MarkChange.objects.filter(assignment__item__in=Item.objects.known_to(request.user))


@admin.register(Assignment)
class AssignmentAdmin(ReadOnly):
    is_private = True
    list_display = (
        *("id", column("item.campaign", gettext_lazy("campaign"))),
        *(column("item.task.external_id", gettext_lazy("task")), "rater", "kind", "state"),
        "finished",
    )
    list_select_related = ("item__campaign", "item__task", "rater")
    list_filter = ("item__campaign", "state", "kind")
    search_fields = ("=item__id", "=item__task__external_id", "rater__user__username")
    ordering = ("-id",)
    change_list_template = "admin/annotation/assignment_list.html"
    pages = (("import/", "import_page", "annotation_assignment_import"),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Assignment]:
        return Assignment.objects.filter(item__in=Item.objects.known_to(request.user))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("annotation.add_assignment")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Enters marks given outside the site. The user selects the campaign first."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        number = request.GET.get("campaign", "")
        if not number.isascii() or not number.isdigit():
            campaigns = Campaign.objects.select_related("revision__benchmark")
            return self.page(request, "annotation/choose", _("Enter ratings"), campaigns=campaigns)
        campaign = get_object_or_404(Campaign, pk=int(number[:18]))
        user = signed_in(request)
        items = Item.objects.known_to(user).filter(campaign=campaign)
        pick = PickForm(request.GET if "task" in request.GET else None, items=items, user=user)
        items_of_task = pick.generations() if pick.is_valid() else []
        chosen = [item for item in items_of_task if str(item.pk) == request.GET.get("item")]
        item = next(iter([*chosen, *items_of_task]), None)
        initial = {"item": item.pk if item else None, "rater": request.GET.get("rater")}
        form = EntryForm(request.POST or None, campaign=campaign, user=user, initial=initial)
        if request.method == "POST" and form.is_valid():
            rated, rater = form.cleaned_data["item"], form.cleaned_data["rater"]
            if self._stored(request, form, rated, rater, settles=form.cleaned_data["settles"]):
                return self._onward(request, items, rated, rater)
        public = fields_in(item.task.public) if item else []
        return self.page(
            request,
            "annotation/entry",
            _("Enter ratings: %(campaign)s") % {"campaign": campaign.title},
            form=form,
            campaign=campaign,
            pick=pick,
            items_of_task=items_of_task,
            item=item,
            fields=[field for field in public if field.kind != "fact"],
            text=shown_text(item.shown) if item else "",
            may_save=True,
        )

    def _onward(
        self, request: HttpRequest, items: QuerySet[Item], item: Item, rater: Rater
    ) -> HttpResponse:
        if "next" not in request.POST:
            return redirect("admin:annotation_assignment_changelist")
        query = {"campaign": item.campaign_id, "rater": rater.pk}
        after = next_to_enter(items, item, rater)
        if after is None or after.generation is None:
            messages.info(request, _("This rater has no further generation of this submission."))
        else:
            query |= {"task": after.task_id, "item": after.pk}
            query["submission"] = after.generation.submission_id
        return redirect(f"{reverse('admin:annotation_assignment_add')}?{urlencode(query)}")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            return super().change_view(request, object_id, form_url, extra_context)
        may = self.has_change_permission(request, row)
        settles = row.kind == Assignment.Kind.THIRD
        marks: Any = row.outcomes.all() if settles else row.ratings.all()
        initial = {mark_field(mark.criterion): mark.value for mark in marks}
        initial |= {comment_field(mark.criterion): mark.comment for mark in marks}
        form = MarksForm(request.POST or None, criteria=scales_of(row), initial=initial)
        if request.method == "POST":
            if not may:
                raise PermissionDenied
            if form.is_valid() and self._stored(
                request, form, row.item, row.rater, settles=settles
            ):
                return redirect("admin:annotation_assignment_change", row.pk)
        words = {"task": row.item.task.external_id, "rater": row.rater.number}
        changes = [
            (scale_name(change.criterion), change) for change in row.changes.select_related("user")
        ]
        return self.page(
            request,
            "annotation/entry",
            _("Task %(task)s, rater %(rater)d") % words,
            form=form,
            assignment=row,
            changes=changes,
            may_save=may,
        )

    def _stored(
        self, request: HttpRequest, form: MarksForm, item: Item, rater: Any, *, settles: bool
    ) -> bool:
        changes = form.entered(item=item, rater=rater, user=signed_in(request), settles=settles)
        if changes is None:
            return False
        sentence = ngettext(
            "%(number)d mark was changed.", "%(number)d marks were changed.", len(changes)
        ) % {"number": len(changes)}
        row = Assignment.objects.get(item=item, rater=rater)
        self.log_change(request, row, f"{sentence} {form.cleaned_data['reason']}")
        messages.success(request, sentence)
        return True

    def import_page(self, request: HttpRequest) -> HttpResponse:
        if not request.user.has_perms(
            ["annotation.add_assignment", "annotation.change_assignment"]
        ):
            raise PermissionDenied
        form = ImportForm(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid():
            imported = form.imported(signed_in(request))
            if imported is not None:
                words = _("%(lines)d lines read: %(new)d marks are new, %(changed)d were changed.")
                facts = {"lines": imported.lines, "new": imported.new}
                messages.success(request, words % (facts | {"changed": imported.changed}))
                return redirect("admin:annotation_assignment_changelist")
        return self.page(request, "annotation/import", _("Import ratings"), form=form)
