"""A prompts file with a revision's own wording, for tests."""

import json
from pathlib import Path
from typing import Any

WORDING: dict[str, Any] = {
    "function": {"base": "Kindly write it.\n{prompt}", "requirement": "Besides: {requirement}"},
    "dynamic": {
        "first": "{prompt}",
        "instruction": "{requirement}",
        "feedback": "Sadly this is not so yet: {instruction}",
        "feedback_error": "\nIt said:\n{error}",
    },
}


def prompts_file(folder: Path, wording: Any = WORDING) -> Path:
    path = folder / "prompts.json"
    path.write_text(json.dumps(wording), "utf-8")
    return path
