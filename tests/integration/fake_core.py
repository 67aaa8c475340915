"""A core for the bridge's tests, on a real socket: it keeps the page's promises, and breaks them on demand."""

import gzip
import json
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from floor_bridge.event_form import format_time, parse_time
from floor_bridge.floor_spec import CASINO, MINUTE, FloorSpec, Habits, ZoneSpec

T0 = parse_time("2023-10-07T12:00:00.000Z")
TOKENS = {"slots-1": "made-up-slots-token", "tables-1": "made-up-tables-token"}

# A floor of few guests who play without a pause: something happens in every tick.
BUSY = FloorSpec(
    name="busy",
    zones=(ZoneSpec("MAIN", slots=30, tables=3),),
    tiers=CASINO.tiers,
    members=80,
    guests=30,
    two_cards=5,
    excluded=4,
    staff=4,
    unlisted=2,
    registered=3,
    habits=Habits(
        play_every=(800, 1_500),
        pause=0.0,
        stint_mean=8 * MINUTE,
        rating_look_every=(500, 1_500),
        rating_paused=0.0,
        plays_tables=0.3,
    ),
)


class FakeCore:
    """Takes events as the page says. `faults`: what to do with the next requests, one word each; then nothing."""

    def __init__(self, port=0):
        self.stored = {feed: {} for feed in TOKENS}
        self.arrived = {feed: [] for feed in TOKENS}
        self.reused = 0
        self.ahead = 0
        self.faults = []
        self.want_snapshot = dict.fromkeys(TOKENS, False)
        self.requests = 0
        self.largest = 0
        self.base, self.began = T0, time.monotonic()
        self.lock = threading.Lock()
        self.connections = []
        core = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 20

            def setup(self):
                super().setup()
                core.connections.append(self.connection)

            def log_message(self, *_):
                pass

            def do_GET(self):
                core.get(self)

            def do_POST(self):
                core.post(self)

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def now(self):
        return self.base + int((time.monotonic() - self.began) * 1_000)

    def close(self):
        if self.thread.is_alive():
            self.server.shutdown()
            self.server.server_close()
            self.thread.join()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def get(self, request):
        feed = self.feed_of(request)
        if feed is None:
            answer(request, 401, {"code": "X_NO_PERMISSION", "sentence": "No."})
        elif request.path == "/floor-clock":
            answer(request, 200, {"now": format_time(self.now())})
        elif request.path == f"/floor-feeds/{feed}":
            with self.lock:
                answer(request, 200, {"feed": feed, "state": "up", **self.standing(feed)})
        else:
            answer(request, 404, {})

    def post(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        feed = self.feed_of(request)
        if feed is None:
            answer(request, 401, {"code": "X_NO_PERMISSION", "sentence": "No."})
            return
        with self.lock:
            self.requests += 1
            fault = self.faults.pop(0) if self.faults else ""
        if request.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        lines = body.splitlines()
        self.largest = max(self.largest, len(body))
        assert len(lines) <= 1_000
        assert len(body) <= 1_000_000
        if fault in {"die", "busy", "broken", "nonsense"}:
            self.fail(request, fault)
            return
        said = self.take(feed, lines, refuse=fault == "refuse")
        if fault == "lose":
            request.connection.shutdown(socket.SHUT_RDWR)
            request.close_connection = True
            return
        if fault == "late":
            time.sleep(0.6)
        if fault == "forget":
            with self.lock:
                for seq in sorted(self.stored[feed])[1:-1:7]:
                    del self.stored[feed][seq]
                said |= self.standing(feed)
        answer(request, 200, said)

    def fail(self, request, fault):
        if fault == "die":
            request.connection.shutdown(socket.SHUT_RDWR)
            request.close_connection = True
        elif fault == "busy":
            answer(request, 503, {}, {"Retry-After": "0"})
        elif fault == "broken":
            answer(request, 500, {})
        else:
            answer(request, 200, {"accepted": 0, "repeated": 0, "refused": [], "last_seq": 10**6, "missing": []})

    def take(self, feed, lines, *, refuse):
        with self.lock:
            accepted, repeated, refused = 0, 0, []
            for number, line in enumerate(lines, 1):
                event = json.loads(line)
                assert event["feed"] == feed
                self.ahead += parse_time(event["at"]) > self.now()
                old = self.stored[feed].get(event["seq"])
                if refuse and number == 1:
                    refused.append({"line": 1, "code": "X_EVENT_INVALID", "sentence": "Made-up refusal."})
                    self.want_snapshot[feed] = True
                elif old is None:
                    accepted += 1
                    self.stored[feed][event["seq"]] = line
                    self.arrived[feed].append(event)
                    if event["kind"] == "snapshot":
                        self.want_snapshot[feed] = False
                elif old == line:
                    repeated += 1
                else:
                    self.reused += 1
                    refused.append({"line": number, "code": "X_SEQ_REUSED", "sentence": "Other content."})
            return {"accepted": accepted, "repeated": repeated, "refused": refused, **self.standing(feed)}

    def standing(self, feed):
        stored = self.stored[feed]
        last = max(stored, default=0)
        missing = [seq for seq in range(min(stored, default=1), last) if seq not in stored][:1_000]
        return {"last_seq": last, "missing": missing, "want_snapshot": self.want_snapshot[feed]}

    def feed_of(self, request):
        given = request.headers.get("Authorization", "")
        return next((feed for feed, token in TOKENS.items() if given == f"Bearer {token}"), None)

    def events(self, feed):
        """What the core holds, in the order of the numbers."""
        with self.lock:
            return [json.loads(self.stored[feed][seq]) for seq in sorted(self.stored[feed])]

    def numbers(self, feed):
        with self.lock:
            return sorted(self.stored[feed])


def answer(request, status, body, headers=()):
    data = json.dumps(body).encode()
    request.send_response(status)
    for name, value in dict(headers).items():
        request.send_header(name, value)
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)


def until(true, seconds=15.0):
    """Waits until `true()`, and says when that took too long."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)
