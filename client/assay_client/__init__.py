"""The client of an Assay site: checks and submits predictions, reads results.

from assay_client import Site

with Site.connected() as site:
    upload = site.submit("predictions.jsonl", benchmark="rucodeeval", entrant="heron-7b")
    result = site.wait(upload["submission"])
"""

from assay_client.errors import AssayError, Failed, Refused, Unreachable
from assay_client.site import Site

__all__ = ["AssayError", "Failed", "Refused", "Site", "Unreachable"]
