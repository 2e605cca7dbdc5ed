"""Writes data/print_attack.json, the fixture of src/raster/print_attack/tests.rs: python make_print_attack.py

Where a word lies on a picture, and how much of the picture it covers, measured on masks that Pillow's FreeType draws 16 times
as large and turns. Written with Pillow 13.0 and numpy 2.4.
"""

import json
import os
import random

import numpy as np
from PIL import Image, ImageDraw, ImageFont

HERE = os.path.dirname(os.path.abspath(__file__))
FONT = os.path.join(HERE, "..", "..", "fonts", "DejaVuSans-Bold-Latin.ttf")
SIZES = [32 / 1024, 48 / 1024, 64 / 1024, 88 / 1024, 112 / 1024]
ANGLES = [0, 30, 90, 270, 330]
WORDS = ["cat", "Harry Potter", "Eiffel Tower", "red", "True", "\u00c5ngstr\u00f6m", "piano", "W", "il", "Jump, quickly!"]
PICTURES = [(1024, 1024), (640, 480), (224, 300), (90, 64), (2000, 400)]
LARGER = 16


def measured(word, size, angle):
    """Width, height, and area of the ink in pixels."""
    font = ImageFont.truetype(FONT, size * LARGER, layout_engine=ImageFont.Layout.BASIC)
    left, top, right, bottom = font.getbbox(word)
    mask = Image.new("L", (right - left + 40, bottom - top + 40))
    ImageDraw.Draw(mask).text((20 - left, 20 - top), word, font=font, fill=255)
    if angle:
        # Pillow turns counterclockwise.
        mask = mask.rotate(-angle, resample=Image.Resampling.BILINEAR, expand=True)
    pixels = np.asarray(mask)
    ys, xs = np.nonzero(pixels > 127)
    width, height = xs.max() + 1 - xs.min(), ys.max() + 1 - ys.min()
    return width / LARGER, height / LARGER, pixels.sum() / 255 / LARGER**2


def case(word, picture, levels):
    size, angle = SIZES[levels[0]] * min(picture), ANGLES[levels[3]]
    width, height, _ = measured(word, 40, angle)
    fitting = 40 * min(picture[0] / width, picture[1] / height)
    final = min(max(size, 6), fitting)
    width, height, area = measured(word, final, angle)
    column, row = levels[4] % 5, levels[4] // 5
    left = min(max(picture[0] * (column + 0.5) / 5 - width / 2, 0), picture[0] - width)
    top = min(max(picture[1] * (row + 0.5) / 5 - height / 2, 0), picture[1] - height)
    return {"word": word, "picture": picture, "levels": levels, "size": round(final, 3),
            "box": [round(float(v), 2) for v in (left, top, width, height)],
            "coverage": round(float(area / (picture[0] * picture[1])), 7)}


def main():
    dice = random.Random(8)
    cases = []
    for n in range(60):
        levels = [dice.randrange(5), dice.randrange(5), dice.randrange(4), dice.randrange(5), n % 25]
        cases.append(case(WORDS[n % len(WORDS)], PICTURES[n // 2 % len(PICTURES)], levels))
    with open(os.path.join(HERE, "data", "print_attack.json"), "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


main()
