"""What is said of runs at models' endpoints, by the engine and by the worker that stores it."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

SENTENCES = (
    _("The endpoint is no address: give one like https://host/v1."),
    _("The endpoint's address may hold no name, password or query."),
    _(
        "The endpoint's address holds blanks or letters that no address has. Write a name in "
        "other letters as it is sent (xn--)."
    ),
    _("The endpoint has to be an https address."),
    _("The endpoint may not be asked at port %(port)s."),
    _("The endpoint's address is not a public one."),
    _("The endpoint's host is no full name of a public host."),
    _("The endpoint's key holds what no key has: blanks, or other letters."),
    _("The endpoint refuses: %(answer)s"),
    _("The endpoint answers nothing: %(answer)s"),
    _("The key can no longer be read: the site's secrets were changed. Give it again."),
    _("The answers take more than %(most)s MiB."),
    _("The answers so far were asked for by another release of this site. Start anew."),
    _("Another worker still has the run's answers open."),
    _("It did not end in the time that a run may take here."),
    _("This site asks no endpoints for teams now."),
    _("This benchmark has no prompts."),
    _(
        "Turns of this benchmark's conversations cannot be judged here as things are. The site's "
        "staff can see why; go on once it is mended."
    ),
    _("%(benchmark)s takes no submissions now."),
)
SAID = (
    _("the endpoint's name stands for an address that is not public"),
    _("the request leads to another host"),
    _("the answer holds the endpoint's key"),
    _("the answer was cut off on its way"),
    _("no whole answer within %(seconds)s s"),
    _("a malformed answer: %(fault)s"),
)
