"""Who may: sign-ins, devices, roles on every route and socket, the second person."""
