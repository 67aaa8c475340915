"""A crew at work: `python benchmarks/fanout_crew.py PORT DRAW CLAIMS`. Prints each press as a JSON line: verb, claim,
when it was made (steady clock, seconds), how long it took (ms) and the answer's status.

Four tablets, each with its own claims: taken, not there, announced, presented, checked.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from typing import Any

TABLETS = 4
PAUSE = 0.1
CALLED = 0.5
"""How long a claim stays announced: long enough to be on the screens."""
VERBS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("take", {}),
    ("not_there", {}),
    ("announce", {}),
    ("present", {}),
    ("check", {"checks": ["name", "card", "stage", "owner"], "identification": "sa_id"}),
)


def work(port: int, draw: str, ordinals: list[int], made: list[dict[str, Any]]) -> None:
    for ordinal in ordinals:
        for verb, more in VERBS:
            made.append(press(port, {"draw": draw, "ordinal": ordinal, "verb": verb, "by": "kabelo", **more}))
            time.sleep(CALLED if verb == "announce" else PAUSE)


def press(port: int, said: dict[str, Any]) -> dict[str, Any]:
    """As a tablet presses: a connection each time."""
    body = json.dumps({"id": f"{said['verb']}-{said['ordinal']:08d}", "made_at": 0, **said})
    at = time.monotonic()
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("POST", "/presses", body, {"Content-Type": "application/json"})
    answer = line.getresponse()
    answer.read()
    took = (time.monotonic() - at) * 1000
    line.close()
    return {"verb": said["verb"], "claim": said["ordinal"], "at": at, "ms": took, "status": answer.status}


if __name__ == "__main__":
    port, draw, claims = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    made: list[dict[str, Any]] = []
    crew = [
        threading.Thread(target=work, args=(port, draw, list(range(n, claims, TABLETS)), made)) for n in range(TABLETS)
    ]
    for tablet in crew:
        tablet.start()
        time.sleep(PAUSE / TABLETS)
    for tablet in crew:
        tablet.join()
    print("\n".join(json.dumps(one) for one in made))
