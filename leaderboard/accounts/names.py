"""Marks of entrants by which readers tell them apart. The reconciler keeps them."""

from django.db.models import F

from leaderboard.accounts.models import Entrant, OrganisationDomain


def mark_entrants() -> None:
    """Safe to repeat. Changes only rows whose marks are wrong."""
    resembled = Entrant.objects.resembled()
    wrong = resembled.exclude(told_apart_by=F("team__name"))
    for key, team in wrong.values_list("pk", "team__name"):
        Entrant.objects.filter(pk=key).update(told_apart_by=team)
    unique = Entrant.objects.exclude(told_apart_by="").exclude(pk__in=resembled.values("pk"))
    unique.update(told_apart_by="")
    confirmed = set[int]()
    for row in OrganisationDomain.objects.all():
        entrants = Entrant.objects.filter(
            organisation__iexact=row.organisation, team__members__emailaddress__verified=True
        )
        # Compared here, since databases fold the case of letters each in their own way.
        for key, email in entrants.values_list("pk", "team__members__emailaddress__email"):
            if email.lower().rpartition("@")[2] == row.domain:
                confirmed.add(key)
    marked = Entrant.objects.filter(organisation_confirmed=True)
    marked.exclude(pk__in=confirmed).update(organisation_confirmed=False)
    unmarked = Entrant.objects.filter(pk__in=confirmed, organisation_confirmed=False)
    unmarked.update(organisation_confirmed=True)
