"""`python -m kiosk.cli.main`: the command, where it is not installed."""

from kiosk.cli.main import main

main()
