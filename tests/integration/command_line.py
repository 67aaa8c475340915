"""The command `floordraw` as tests run it."""

from __future__ import annotations

from click.testing import CliRunner, Result

from kiosk.cli.main import floordraw

GONE = "/no/such/file"
NOBODY_HOME = "http://127.0.0.1:9"
TWO = ["--by", "nomvula", "--second", "kabelo", "--reason", "a burst pipe"]


def run(*said: object) -> Result:
    """Whatever happens ends in an exit code and text, never in a traceback."""
    result = CliRunner().invoke(floordraw, [str(one) for one in said], prog_name="floordraw")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    assert "Traceback" not in result.output
    return result


def failed(*said: object) -> str:
    """The one sentence that a failed command ends with."""
    result = run(*said)
    assert result.exit_code == 1, result.output
    assert result.output.startswith("Error: ")
    return result.output.removeprefix("Error: ").strip()
