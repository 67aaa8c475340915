"""The eight people of the worked cases, their machines and tables, and instants of their Saturday."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

HOUR = 3_600_000

THANDI, PIETER, LERATO, SIPHO = "100001", "100002", "100003", "100004"
AISHA, JOHAN, NALEDI, GRACE = "100005", "100006", "100007", "100008"
THANDI_SECOND = "200001"

MEMBERS = """\
member,first_name,last_name,tier,born,phone,email,person
100001,Thandi,Mokoena,Gold,1985-03-12,0820000001,thandi@example.com,100001
100002,Pieter,van der Merwe,Platinum,1970-06-01,,,
100003,Lerato,Dlamini,Black,1979-01-20,,,
100004,Sipho,Nkosi,Gold,1988-08-08,,,
100005,Aisha,Patel,Platinum,1990-11-30,,,
100006,Johan,Botha,Silver,1966-02-02,,,
100007,Naledi,Khumalo,Gold,1990-01-01,,,
100008,Grace,Molefe,Gold,1983-04-04,,,
200001,Thandi,Mokoena,Gold,1985-03-12,,,100001
"""
POSITIONS = """\
position,kind,zone,bank,seats,feed
S-0412,slot,MAIN,,,slots-1
S-0088,slot,SMOKING,,,slots-1
S-0500,slot,MAIN,,,slots-1
S-0501,slot,MAIN,,,slots-1
S-0502,slot,MAIN,,,slots-1
S-0503,slot,MAIN,,,slots-1
S-0600,slot,PRIVE,,,slots-1
BJ-03,table,MAIN,,7,tables-1
"""
NOBODY = "member,category,from,to,source\n"
SIGNED_HEADER = "member,at,phone\n"


def jhb(text: str) -> int:
    """Milliseconds of `14:30:00.000` in Johannesburg on Saturday 7 October 2023, or of `2023-10-14 14:30`."""
    whole = text if "-" in text else f"2023-10-07 {text}"
    form = (
        "%Y-%m-%d %H:%M:%S.%f" if "." in whole else "%Y-%m-%d %H:%M:%S" if whole.count(":") == 2 else "%Y-%m-%d %H:%M"
    )
    moment = datetime.strptime(whole, form).replace(tzinfo=UTC) - timedelta(hours=2)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def iso(at: int) -> str:
    """The page's form of an instant."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
