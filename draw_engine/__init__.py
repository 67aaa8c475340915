"""The rules and the one place state is kept: sessions, eligibility, selection, claims, the log, the record."""
