"""Messages about models' endpoints."""

from __future__ import annotations

from evaluation.engine.texts import Text
from evaluation.engine.texts import gettext_noop as _

# Addresses.
NO_ADDRESS = Text(
    "generation.no_address",
    _("The endpoint is no address: give one like https://host/v1."),
)
SECRET_IN_ADDRESS = Text(
    "generation.secret_in_address",
    _("The endpoint's address may hold no name, password or query."),
)
ODD_LETTERS = Text(
    "generation.odd_letters",
    _(
        "The endpoint's address holds blanks or letters that no address has. Write a name in other "
        "letters as it is sent (xn--)."
    ),
)
NO_HTTPS = Text("generation.no_https", _("The endpoint has to be an https address."))
PORT_FORBIDDEN = Text(
    "generation.port_forbidden",
    _("The endpoint may not be asked at port %(port)s."),
)
ADDRESS_NOT_PUBLIC = Text(
    "generation.address_not_public",
    _("The endpoint's address is not a public one."),
)
HOST_NOT_PUBLIC = Text(
    "generation.host_not_public",
    _("The endpoint's host is no full name of a public host."),
)

# Answers; the last six are parts of sentences.
REFUSES = Text("generation.refuses", _("The endpoint refuses: %(answer)s"))
ANSWERS_NOTHING = Text("generation.answers_nothing", _("The endpoint answers nothing: %(answer)s"))
NAME_NOT_PUBLIC = Text(
    "generation.name_not_public",
    _("the endpoint's name stands for an address that is not public"),
)
OTHER_HOST = Text("generation.other_host", _("the request leads to another host"))
KEY_IN_ANSWER = Text("generation.key_in_answer", _("the answer holds the endpoint's key"))
ANSWER_CUT_OFF = Text("generation.answer_cut_off", _("the answer was cut off on its way"))
NO_WHOLE_ANSWER = Text("generation.no_whole_answer", _("no whole answer within %(seconds)s s"))
MALFORMED_ANSWER = Text("generation.malformed_answer", _("a malformed answer: %(fault)s"))

# Turns.
TURN_NOT_JUDGED = Text(
    "generation.turn_not_judged",
    _("A turn of a conversation could not be judged."),
)
# Settings.
ORIGIN_UNFIT = Text(
    "generation.origin_unfit",
    _("%(word)s is neither an origin like http://127.0.0.1:8080 nor a port like :8443."),
)
