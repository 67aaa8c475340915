import pytest

from printers.amounts import figures, in_words

# Written out by hand, as a bank clerk would.
RAND = {
    0: "Zero rand",
    1: "One rand",
    2: "Two rand",
    11: "Eleven rand",
    12: "Twelve rand",
    13: "Thirteen rand",
    14: "Fourteen rand",
    15: "Fifteen rand",
    18: "Eighteen rand",
    19: "Nineteen rand",
    20: "Twenty rand",
    21: "Twenty-one rand",
    40: "Forty rand",
    99: "Ninety-nine rand",
    100: "One hundred rand",
    101: "One hundred and one rand",
    110: "One hundred and ten rand",
    500: "Five hundred rand",
    550: "Five hundred and fifty rand",
    600: "Six hundred rand",
    750: "Seven hundred and fifty rand",
    999: "Nine hundred and ninety-nine rand",
    1_000: "One thousand rand",
    1_005: "One thousand and five rand",
    1_100: "One thousand one hundred rand",
    1_234: "One thousand two hundred and thirty-four rand",
    10_000: "Ten thousand rand",
    12_345: "Twelve thousand three hundred and forty-five rand",
    20_020: "Twenty thousand and twenty rand",
    100_000: "One hundred thousand rand",
    101_001: "One hundred and one thousand and one rand",
    800_000: "Eight hundred thousand rand",
    999_999: "Nine hundred and ninety-nine thousand nine hundred and ninety-nine rand",
    1_000_000: "One million rand",
}


@pytest.mark.parametrize(("rand", "words"), RAND.items())
def test_an_amount_in_words(rand, words):
    assert in_words(rand * 100, "ZAR") == words


def test_cents_are_said_where_there_are_any():
    assert in_words(75050, "ZAR") == "Seven hundred and fifty rand and fifty cents"
    assert in_words(101, "ZAR") == "One rand and one cent"
    assert in_words(100, "USD") == "One dollar"
    assert in_words(250, "USD") == "Two dollars and fifty cents"
    assert in_words(300, "KES") == "Three KES"


def test_an_amount_in_figures_is_ascii():
    assert figures(75000, "ZAR") == "R 750.00"
    assert figures(100000, "ZAR") == "R 1,000.00"
    assert figures(5, "ZAR") == "R 0.05"
    assert figures(80_000_000, "ZAR") == "R 800,000.00"
    assert figures(50000, "EUR") == "EUR 500.00"


def test_words_say_the_same_as_figures_for_every_amount_of_an_envelope():
    """The words read back by a reader of its own: R500 to R1,000 in steps of fifty, and every rand to a thousand."""
    for rand in range(1, 1001):
        assert read_words(in_words(rand * 100, "ZAR")) == rand


def read_words(text):
    values = {
        "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
        "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
        "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
        "seventy": 70, "eighty": 80, "ninety": 90,
    }  # fmt: skip
    total = 0
    for word in text.lower().removesuffix(" rand").replace("-", " ").replace(" and ", " ").split():
        if word == "hundred":
            total *= 100
        elif word == "thousand":
            total *= 1000
        else:
            total += values[word]
    return total


@pytest.mark.parametrize("cents", [-1, 100_000_001])
def test_an_amount_out_of_range_is_refused(cents):
    with pytest.raises(ValueError, match="amount"):
        in_words(cents, "ZAR")
    with pytest.raises(ValueError, match="amount"):
        figures(cents, "ZAR")
