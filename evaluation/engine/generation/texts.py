"""Messages about models' endpoints."""

from __future__ import annotations

from evaluation.engine.texts import Text
from evaluation.engine.texts import gettext_noop as _

# Addresses.
NO_ADDRESS = Text(
    "generation.no_address",
    _("The endpoint is not an address. Enter one like https://host/v1."),
)
SECRET_IN_ADDRESS = Text(
    "generation.secret_in_address",
    _("The endpoint's address must not contain a name, password or query."),
)
ODD_LETTERS = Text(
    "generation.odd_letters",
    _(
        "The endpoint's address contains spaces or letters that an address cannot have. Write "
        "an international name in its encoded form (xn--)."
    ),
)
NO_HTTPS = Text("generation.no_https", _("The endpoint must be an https address."))
PORT_FORBIDDEN = Text(
    "generation.port_forbidden",
    _("The endpoint's port %(port)s is not allowed."),
)
ADDRESS_NOT_PUBLIC = Text(
    "generation.address_not_public",
    _("The endpoint's address is not a public one."),
)
HOST_NOT_PUBLIC = Text(
    "generation.host_not_public",
    _("The endpoint's host is not the full name of a public host."),
)

# Answers; the last six are parts of sentences.
REFUSES = Text("generation.refuses", _("The endpoint refuses the request: %(answer)s"))
ANSWERS_NOTHING = Text("generation.answers_nothing", _("The endpoint gives no answer: %(answer)s"))
NAME_NOT_PUBLIC = Text(
    "generation.name_not_public",
    _("the endpoint's name resolves to an address that is not public"),
)
OTHER_HOST = Text("generation.other_host", _("the request was redirected to another host"))
KEY_IN_ANSWER = Text("generation.key_in_answer", _("the answer contains the endpoint's key"))
ANSWER_CUT_OFF = Text("generation.answer_cut_off", _("the answer was cut off during the transfer"))
NO_WHOLE_ANSWER = Text("generation.no_whole_answer", _("no complete answer within %(seconds)s s"))
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
