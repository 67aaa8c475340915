"""The core process: wiring, routes, pages and the command."""
