"""`python -m kiosk.cli`: the command, where it is not installed."""

from kiosk.cli.main import main

main()
