"""Print jobs' raw facts as the engine queues them, and what stands on every slip of the house."""

from printers.slip_facts import HouseFacts

HOUSE = HouseFacts(
    "Silverstar Casino",
    "No persons under 18. Winners know when to stop. 0800 006 008",
    "https://draws.silverstar.example/check",
)
ZONE = "Africa/Johannesburg"
DRAW = "silverstar/playtime/2023-10-07/bonus-jackpot-1"
SECRET = "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef"
REF = "fedcba98765432100123456789abcdef"
PAID_AT = 1_696_681_205_123  # 2023-10-07T12:20:05.123Z, 14:20:05 in Johannesburg
SEVEN_LINES = (
    "floordraw/1/checkpoint\nsilverstar\n4711\n"
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n"
    "2023-10-07T11:45:00.000Z\n"
    "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==\n"
)

RECEIPT = {
    "serial": "bonus-jackpot-1-20231007-c12",
    "promotion": "PLAYTIME",
    "title": "Bonus Jackpot 1",
    "draw": DRAW,
    "claim": "c12",
    "award": 3,
    "position": "S-0412",
    "guest": "Zoë Ndlovu-Müller",
    "card": "4821",
    "amount": 75000,
    "currency": "ZAR",
    "zone": ZONE,
    "paid_at": PAID_AT,
    "staff": "kabelo",
    "pocket": "E-0031",
    "secret": SECRET,
    "ref": REF,
    "held": False,
    "signed": True,
}
DECLINE = {
    "entry": 7,
    "promotion": "PLAYTIME",
    "guest": "Thandi Mokoena",
    "card": "1177",
    "id_type": "sa_id",
    "id_number": "9083",
    "contact": "phone ending 412",
    "day": "2023-10-07",
    "covers": ["Bonus Jackpot 1", "Bonus Jackpot 2"],
    "signed_at": PAID_AT - 3_600_000,
    "zone": ZONE,
    "clerk": "mpho",
}
LABEL = {
    "promotion": "PLAYTIME",
    "guest": "Thandi Mokoena",
    "card": "1177",
    "date": "2023-10-07",
    "award": 4,
    "draw": DRAW,
    "claim": "c14",
    "claim_by": "2023-10-22",
    "pocket": "E-0032",
    "rep": "kabelo",
    "witness": "zanele",
    "desk": "customer_services",
    "zone": ZONE,
}
CHECKPOINT = {
    "occasion": "opening",
    "slip": SEVEN_LINES,
    "title": "Bonus Jackpot 1",
    "at": 1_696_679_100_000,
    "zone": ZONE,
    "commitment": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
}
RETURNS = {
    "promotion": "PLAYTIME",
    "desk": "customer_services",
    "day": "2023-10-23",
    "pockets": [
        {"pocket": "E-0032", "claim": "c14", "award": 4, "claim_by": "2023-10-22"},
        {"pocket": "E-0040", "claim": "c19", "award": 9, "claim_by": "2023-10-22"},
    ],
}
ALL = {
    "winner_receipt": RECEIPT,
    "claim_receipt": RECEIPT | {"held": True},
    "decline_slip": DECLINE,
    "envelope_label": LABEL,
    "checkpoint": CHECKPOINT,
    "return_list": RETURNS,
}
