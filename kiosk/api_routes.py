"""The routes, a line each: METHOD rule | what it is for | fields (! needed), or * and a media type | what it gives.

What is given: `json` with the members that are always there, or another kind of `kiosk.api_description`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ROUTES = """
GET /api.json | This description. | | json openapi paths
GET / | Where whoever is signed in begins. | | led on
GET /sign-in | The sign-in's page. | to | page
POST /sign-in | Sign in; the cookie comes with the answer. | number! secret! to | json ok to must_change
POST /sign-out | Sign out. | | json ok
POST /sign-in/secret | Choose another secret. | old! new! to | json ok to
POST /sign-in/stay | Somebody is at it: the sign-in goes on. | | json ok id role ends_at
GET /me | Who is signed in, and until when. | | json id name role ends_at
GET /enrol | A device's enrolment page. | | page
POST /enrol | Enrol this device by a code of the console. | code! | json ok device to
GET /trust | How a device trusts the house. | | page
GET /trust/ca.crt | The house's certificate authority. | | certificate
GET /trust/qr.svg | The address of that page. | | qr
GET /check | Where a guest checks a published draw. | | page
GET /check/draw/<path:draw_id> | A published draw: its bare record, its checkpoints. | | json id title zone closed digest seq record checkpoints
GET /check/proofs/<ref>/<path:draw_id> | The proofs of a reference in its pools, or of where it would stand. | | json draw ref known pools
GET /check/root/<root> | For which selections a root was published. | | json root found
GET /check/record/<path:draw_id> | A draw's public record. | | json v terms
GET /check/verify.pyz | The verifier as one file. | | zip
GET /screens/<name> | A floor screen. | | page
POST /floor-events | A feed's events, a JSON line each; with the feed's token. | *text/plain | json accepted refused
GET /floor-feeds/<feed> | What the core has of a feed; with its token. | | json feed last_seq missing
GET /floor-clock | The core's time; with a feed's token. | | json now
POST /print-jobs/next | The next slip; with the printer's token. | state ask at_work | json waiting job
POST /print-jobs/<int(max=2147483647):job>/report | What became of it. | attempt! outcome detail | json ok state
GET /print-jobs | The queue. | | json
POST /print-jobs/<int(max=2147483647):job>/settle | Say whether it came out. | decision! | json ok job state
POST /print-jobs/<int(max=2147483647):job>/reprint | Print it again. | | json ok job state
POST /printers/<printer>/state | How a printer of files is set, for trying out. | state! fails_after then | json ok state
GET /machine/staff | The people; for commands. | | json ok people
POST /machine/staff/<act> | Enter, code, unlock, role, end; for commands. | person! name role from until | json ok
GET /metrics | Figures for Prometheus; for this machine. | | metrics
GET /crew | The crew's tablet. | | page
GET /crew/snapshot.json | Its present. | | json
GET /crew/worker.js | Its worker. | | script
GET /crew/floor.json | The floor's map. | | json
GET /crew/training | The crew's training. | | page
GET /stage | The announcer's tablet. | | page
GET /stage/snapshot.json | Its present. | | json
GET /stage/worker.js | Its worker. | | script
POST /presses | A press of crew or stage. | id! verb! draw! ordinal! by made_at signature amount pocket checks reason second second_secret to | json ok
POST /claims/review | Two people decide what nobody saw. | draw! ordinal! decision! second! second_secret! reason! | json ok stage
POST /claims/void | Two people take an award back. | draw! ordinal! reselect! second! second_secret! reason! | json ok stage
POST /claims/exchange | Two people take another envelope. | draw! ordinal! second! second_secret! reason! | json ok stage
GET /desk | The desks' page. | | page
POST /desk/guest | Whose number it is; each look-up is kept. | number! | json ok guest
POST /desk/held/find | The held prizes of a number; each look-up is kept. | text! | json ok found
POST /desk/held/see | What happened to a held prize. | draw! ordinal! | json ok happened
POST /desk/held/reach | How to reach its guest; each reading is kept. | draw! ordinal! | json ok phone email
POST /desk/papers | The copies of papers kept under an entry or a held prize. | under! | json ok papers
POST /desk/papers/keep/<path:under> | Keep a picture of a paper. | *image/jpeg | json ok n
POST /desk/papers/read | Look at one; each look is kept. | under! n! | picture
POST /desk/register | Sign the register of those who decline. | id! member! id_type id_number phone email in_person signature | json ok entry repeated
POST /desk/register/withdraw | Take a signature back. | id! entry! id_type id_number in_person | json ok repeated
POST /desk/held/draw | Draw an envelope on a guest's behalf. | id! draw! ordinal! pocket! second! second_secret! | json ok pocket repeated
POST /desk/held/move | Hand an envelope on: both show who they are. | id! draw! ordinal! to! given_by! received_by! second! second_secret! | json ok repeated
POST /desk/held/contact | One try to reach the guest. | id! draw! ordinal! channel! outcome! | json ok repeated
POST /desk/held/hand_over | The guest has come. | id! draw! ordinal! desk! in_person amount! signature! id_type id_number | json ok repeated
POST /desk/held/give_back | Nobody came in time. | id! draw! ordinal! second! second_secret! | json ok repeated
POST /desk/envelopes/batch | Count a batch. | id! amounts! second! second_secret! | json ok batch repeated
POST /desk/envelopes/day | Count what is left of the day. | id! left! second! second_secret! | json ok sentence repeated
POST /desk/envelopes/cash | Count the cash found in opened envelopes, once the day is closed. | id! opened! cents! second! second_secret! | json ok sentence repeated
POST /desk/envelopes/withdraw | Take an envelope out of use. | id! pocket! second! second_secret! | json ok pocket repeated
POST /desk/slips/settle | Say whether a slip came out. | id! job! decision! | json ok repeated
POST /desk/slips/again | Print a slip again. | id! job! | json ok repeated
GET /console | Today. | | page
GET /console/roster | Who works when. | | page
GET /console/roster.json | A gaming day's roster. | day | json day day_text days sessions lines copy_from people zones may_plan
POST /console/roster/enter | A line, or one instead of another. | day! person! duty! from! until! zone instead_of | json ok id
POST /console/roster/remove | Take a line off. | day! shift! | json ok id
POST /console/roster/copy | Take over the last day's lines. | day! | json ok lines left_out
GET /console/people | People and devices. | | page
GET /console/people.json | The same as data. | | json people devices server_now
POST /console/people/enter | Somebody begins to work here. | person! name! role! from until second second_secret | json ok
POST /console/people/role | Another role. | person! role! second second_secret | json ok
POST /console/people/end | Somebody works here no more. | person! | json ok
POST /console/people/code | A code for their next sign-in. | person! | json ok code until
POST /console/people/unlock | Let them try again. | person! | json ok
POST /console/devices/offer | A code to enrol a device. | kind! title! | json ok code until
POST /console/devices/revoke | Take a device away. | device! | json ok
POST /console/session/suspend | Nothing is selected for a while. | second! second_secret! reason! | json ok
POST /console/session/resume | Selecting goes on. | second! second_secret! reason! | json ok
POST /console/session/end | The session selects nothing more. | second! second_secret! reason! | json ok
POST /console/session/open | Open though the clock is not synchronised. | draw! reason! | json ok
POST /console/feeds/<feed>/exclude | Draw without a feed. | second! second_secret! reason! | json ok
POST /lists/<kind> | A list of members, positions, exclusions or staff, as CSV. | *text/plain | json ok rows
POST /exclusions | Exclude a guest. | member! category! from! to | json ok rows
GET /console/draws | The draw log. | show page draw | page
GET /console/draws.csv | The same for a spreadsheet. | draw | csv
GET /console/draws/<path:draw_id> | One draw. | | page
GET /console/draws/<path:draw_id>/selections/<int:ordinal> | One selection. | | page
POST /console/draws/verify | Verify a record here. | draw! journal | json answered
POST /console/draws/why | Why a guest was not in a selection; each question is kept. | draw! ordinal! number! | json ok
POST /console/draws/note | A note of dispute. | draw! ordinal! text! | json ok note
GET /draws/<path:draw_id>/record.zip | A draw's record. | copy | zip
GET /console/reports | The reports. | from to promotion session | page
GET /console/reports/<table>.csv | One of their tables. | from to promotion session | csv
GET /console/setup | The rule books. | | page
GET /console/setup.json | The same as data. | | json ok books
GET /console/setup/<digest>.json | One of them. | | json ok sha256
GET /console/setup/<digest>/rules.toml | Its file. | | toml
GET /console/setup/<digest>/rehearsal.zip | The records of its rehearsal. | | zip
POST /console/setup/check | Find a book's faults. | *text/plain | json ok faults
POST /console/setup/load | Take a book in. | *text/plain | json ok
POST /console/setup/<digest>/load | Take in a book of the settings. | | json ok
POST /console/setup/<digest>/rehearse | Rehearse it. | day! floor! crews | json ok
POST /console/setup/<digest>/lock | Two people put it in force. | second! second_secret! reason! | json ok
POST /console/setup/<digest>/retire | Two people take it out of force. | second! second_secret! reason! | json ok
GET /witness | The witness's page. | | page
GET /witness/snapshot.json | Its present. | | json
POST /witness/watch | The witness watches this draw. | draw! | json ok
POST /witness/dice | Dice or another source, as the rules ask. | draw! source! text! | json ok
POST /witness/statement | The sentences as they would be certified. | draw! name! profession! number! slips | json ok statement
POST /witness/certify | Certify a draw. | draw! name! profession! number! slips | json ok certificate
POST /witness/certificate | Read a certificate; each reading is kept. | draw! | json ok certificate
"""  # noqa: E501 - a table has its lines

_WHOLE = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
_YES = {"type": "boolean"}
_DRAWN = {"type": "object", "description": "A signature: its strokes as points."}
FIELDS: Mapping[str, Mapping[str, Any]] = {
    **dict.fromkeys(
        ("ordinal", "entry", "amount", "left", "job", "attempt", "crews", "fails_after", "made_at"), _WHOLE
    ),
    **dict.fromkeys(("reselect", "in_person", "journal", "at_work"), _YES),
    "signature": _DRAWN,
    "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$"},
    "amounts": {"type": "object", "additionalProperties": {"type": "integer"}},
    "checks": {"type": "array", "items": {"type": "string"}},
    "slips": {"type": "array", "items": {"type": "integer"}},
}
"""What a field is; any other is a text of at most 300 letters."""
