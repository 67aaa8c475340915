"""The manager's console: today, claims, the crew, the desk and the printers."""
