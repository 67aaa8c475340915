"""A win limit holds for a person, whatever numbers the lists give that person in the course of a day."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

from casino import Casino
from people_words import THANDI, jhb
from small_book import Session, book_toml

from draw_engine.service import house
from draw_engine.service.publishing import auditor_pack, published_copy
from draw_engine.store.journal import read_segment
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS

LOWER = "000001"
SITE = b"""\
stale_after_seconds = 30
feed = [{ id = "slots-1", brings = ["slots"] }, { id = "tables-1", brings = ["tables"] }]
"""


def test_a_lower_number_does_not_begin_the_count_anew(casinos: Callable[..., Casino], tmp_path: Path) -> None:
    """Thandi alone plays, and may win twice; after the first win her lowest number is another one."""
    limit = '[{ scope = "day", max = 2 }]'
    casino = casinos(book=book_toml(Session("first", "14:00", "14:10", awards=6, limits=limit)))
    casino.load_lists()
    casino.sits(THANDI, "S-0412")
    casino.at("13:59")
    casino.go(casino.moments()[0])
    casino.pay()
    joined = casino.members + f"{LOWER},Thandi,Mokoena,Gold,1985-03-12,,,{THANDI}\n"
    house.load_list(casino.engine, "members", joined.encode())
    casino.finish("14:12")
    draw = casino.draw()
    assert [row.person for row in draw.rows.values()] == [THANDI, LOWER]
    assert draw.state.closed_at is not None
    assert casino.clock.now() >= jhb("14:12")

    folder = casino.folder / "journal"
    files = published_copy(casino.engine, draw, "auditor")
    files |= auditor_pack(casino.engine, draw, read_segment=lambda name: read_segment(folder, name), site_toml=SITE)
    for name, data in files.items():
        (tmp_path / "pack" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pack" / name).write_bytes(data)
    key = base64.b64encode(casino.engine.signer.public_key).decode()
    report = verify(tmp_path / "pack", key, journal=True)
    assert report.exit_code == HOLDS, "\n".join(report.lines())
