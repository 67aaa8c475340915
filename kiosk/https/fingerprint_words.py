"""A fingerprint as words that two people can read to each other: a word a byte, of things that sound unlike."""

from __future__ import annotations

WORDS = 8
"""As many as are said: 64 bits. Whoever wants a certificate with the same words has to try 2^64 of them."""
THINGS = """
acorn actor alarm album amber anchor angle ankle apple apron arch arrow atlas autumn badge baker balloon banjo
barley barrel basin basket beach beacon bell bench berry bicycle birch biscuit blanket blossom board bonnet book
bottle bracelet branch bread brick bridge broom brush bucket buffalo bugle butter button cabin cactus camel
camera candle canoe canvas captain cargo carpet carrot castle cedar cello chapel cheese cherry chimney cinema
circle citrus clarinet cliff clock cloud clover coconut coffee comet compass copper coral corner cotton cradle
crane crater crayon cricket crown crystal cupboard curtain cushion daisy dancer desert diamond dinner doctor
dolphin domino donkey dragon drawer drum eagle easel echo elbow elephant ember engine envelope evening fabric
falcon farmer feather fence fern ferry fiddle finger flag flamingo flute forest fossil fountain fox fridge frog
furrow galaxy gallery garden garlic gate gazelle geyser ginger giraffe glacier glove goblet granite grape guitar
hammer hammock harbour harvest hazel helmet hill honey horizon hornbill hotel island ivory jacket jaguar jasmine
jersey jigsaw jungle kayak kettle kingdom kitchen kite ladder lagoon lantern laundry lemon leopard letter
library lily lion lizard lobster lotus magnet mango maple marble market meadow melon mirror monkey monsoon
mosaic mountain museum mustard napkin needle nest nutmeg oasis ocean olive onion opera orbit orchard organ
ostrich otter oven owl oyster paddle palace panther paper parrot peanut pebble pelican pencil pepper piano
pigeon pillow planet plaster plum pocket poppy potato prairie pumpkin quartz quilt rabbit radish raft rainbow
raven ribbon river rocket saddle sailor salmon sandal scarf school shadow shell silver spoon
""".split()  # noqa: SIM905 - a table of words reads best as words


def in_words(digest: bytes) -> str:
    """The first eight bytes of a digest, a word each. Raises ValueError for a shorter one."""
    if len(digest) < WORDS:
        raise ValueError("a fingerprint is longer")
    return " ".join(THINGS[byte] for byte in digest[:WORDS])
