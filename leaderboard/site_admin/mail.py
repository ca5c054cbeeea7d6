"""Admin of mail that waits or was given up. No page shows its content: it has links that set
passwords."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from leaderboard.mail.models import OutgoingMail
from leaderboard.site_admin.bases import Deletable


@admin.register(OutgoingMail)
class OutgoingMailAdmin(Deletable):
    list_display = ("id", "created", "due", "failures", "cause", "given_up")
    list_filter = (("given_up", admin.EmptyFieldListFilter), "created")
    fields = ("recipients", "created", "due", "failures", "cause", "given_up")
    actions = ("send_again",)

    @admin.action(description=_("Send again"), permissions=["change"])
    def send_again(self, request: HttpRequest, rows: QuerySet[OutgoingMail]) -> None:
        number = rows.update(given_up=None, due=Now(), created=Now(), failures=F("attempt"))
        words = ngettext("%(n)d message is sent again.", "%(n)d messages are sent again.", number)
        messages.info(request, words % {"n": number})
