import base64
import json
from pathlib import Path

import pytest

from draw_engine import ed25519
from draw_engine.log import read_slip
from draw_engine.verify.slips import slip_texts
from printers.slips import checkpoint_slip, keep_slip

EXAMPLES = Path(__file__).parent.parent / "examples"


def example_slips():
    """Slips of the example records, with the checkpoint each of them is of."""
    for folder in ("session", "electronic-draw"):
        record = json.loads((EXAMPLES / folder / "record.json").read_bytes())
        texts = json.loads((EXAMPLES / folder / "slips.json").read_bytes())["slips"]
        made = {checkpoint["seq"]: checkpoint for checkpoint in record["checkpoints"]}
        for text in texts:
            yield made[int(text.split("\n")[2])], text


def test_a_slip_is_the_seven_lines_of_the_examples():
    pairs = list(example_slips())
    assert len(pairs) >= 4
    for checkpoint, text in pairs:
        assert checkpoint_slip(checkpoint) == text


def test_a_slip_carries_what_its_signature_is_of():
    checkpoint, text = next(iter(example_slips()))
    lines = text.split("\n")
    signed = "".join(line + "\n" for line in lines[:5]).encode()
    assert ed25519.verify(base64.b64decode(lines[5]), base64.b64decode(lines[6]), signed)
    assert read_slip(text)["hash"] == checkpoint["hash"]


def test_a_kept_slip_is_never_written_again(tmp_path):
    checkpoint, text = next(iter(example_slips()))
    file = keep_slip(tmp_path / "slips", checkpoint)
    assert file.read_text() == text
    file.write_text("printed and signed by hand")
    assert keep_slip(tmp_path / "slips", checkpoint) == file
    assert file.read_text() == "printed and signed by hand"
    assert [one.name for one in (tmp_path / "slips").iterdir()] == [f"checkpoint-{checkpoint['seq']}.txt"]


@pytest.mark.parametrize("columns", [32, 42, 48])
def test_a_slip_typed_as_it_stands_on_narrow_paper_is_the_slip(columns):
    """What is too long for the paper goes on below; whoever types it types it so."""
    _, text = next(iter(example_slips()))
    lines = [line[at : at + columns] for line in text.splitlines() for at in range(0, len(line), columns)]
    assert len(lines) > 7
    typed = "\n".join(lines)
    assert list(slip_texts(f"{typed}\n\n{text}")) == [text, text]
    assert list(slip_texts("\n".join(lines[:-1]))) != [text]
