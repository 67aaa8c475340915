"""Which kept rule book opens a promotion's draws, and what became of each of the others."""

from draw_engine.locked_books import KeptBook, in_force, newest_locked, ruling, state_of


def kept(sha, *, promotion="playtime", rehearsed=False, locked=None, retired=None):
    return KeptBook(
        sha256=sha,
        promotion=promotion,
        version=f"v-{sha}",
        title="Playtime",
        toml=b"",
        loaded_at=1,
        loaded_by="manager:nomvula",
        rehearsal={"draws": {}} if rehearsed else None,
        locked_at=locked,
        locked_by=() if locked is None else ("manager:nomvula", "manager:themba"),
        retired_at=retired,
    )


def test_nothing_is_in_force_before_a_lock():
    books = [kept("a"), kept("b", rehearsed=True)]
    assert (newest_locked(books), in_force(books)) == ({}, {})
    assert [state_of(book, books) for book in books] == ["loaded", "rehearsed"]


def test_the_newest_lock_counts_whatever_the_order_of_loading():
    books = [kept("b", rehearsed=True, locked=20), kept("a", rehearsed=True, locked=10)]
    assert in_force(books) == {"playtime": books[0]}
    assert [state_of(book, books) for book in books] == ["in_force", "replaced"]


def test_a_retired_version_brings_no_older_one_back():
    books = [kept("a", rehearsed=True, locked=10), kept("b", rehearsed=True, locked=20, retired=30)]
    assert in_force(books) == {}
    assert [state_of(book, books) for book in books] == ["replaced", "retired"]
    again = [*books, kept("c", rehearsed=True, locked=40)]
    assert in_force(again) == {"playtime": again[2]}


def test_each_promotion_has_its_own():
    books = [kept("a", locked=10, rehearsed=True), kept("b", promotion="other", locked=5, rehearsed=True)]
    assert in_force(books) == {"playtime": books[0], "other": books[1]}


def test_what_rules_is_the_locked_book_else_the_given_one():
    given = {"playtime": "given", "third": "given too"}
    assert ruling(given, [], lambda book: book.sha256) == given
    books = [kept("a", locked=10, rehearsed=True), kept("b", promotion="other", locked=5, rehearsed=True)]
    assert ruling(given, books, lambda book: book.sha256) == {"playtime": "a", "third": "given too", "other": "b"}
    retired = [kept("a", locked=10, rehearsed=True, retired=20), kept("b", promotion="other", locked=5, retired=9)]
    assert ruling(given, retired, lambda book: book.sha256) == {**given, "other": "b"}
