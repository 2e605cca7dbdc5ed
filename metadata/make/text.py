#!/usr/bin/env python3
"""Choose the 5,000 words of vocabularies/text.txt from three public-domain lists.

usage: text.py 2of12full.txt WORD.LST wlist.html text-left-out.txt [VOCABULARY.txt ...] > text.txt

  2of12full.txt      12dicts 6, Alan Beale: in how many of 12 dictionaries a word stands
  WORD.LST           ENABLE 2000, Alan Beale and M. Cooper
  wlist.html         Brian Kelk's UK English word list, frequency classes 0 to 16
  text-left-out.txt  words not shown to people, kept beside this script
  VOCABULARY.txt     the other vocabularies: no term stands in two

Rule: 3 to 12 letters a-z; the main entry of all 12 dictionaries and not only
named under another; in ENABLE; classed by Kelk; not an inflection or -ly, -ness
derivation of another word that passes; not left out, no term elsewhere. Of these
the 5,000 most frequent by Kelk's class; within the last class those whose SHA-256
is smallest, so that neither the alphabet nor the length of a word decides.
"""
import hashlib
import os
import re
import sys

COUNT = 5000
SUFFIXES = ("s", "es", "d", "ed", "ing", "er", "est", "ly", "ness")
HEAD = """\
# Words to read in a picture (OCR): 3 to 12 lower-case letters, sorted.
# Chosen by metadata/make/text.py from 12dicts, ENABLE and Brian Kelk's word list,
# all in the public domain; see metadata/README.md.
"""


def read(path):
    with open(path, encoding="latin-1") as file:
        return file.read().splitlines()


def bases(word):
    """What `word` could be an inflection of, by spelling alone."""
    for suffix in SUFFIXES:
        if not word.endswith(suffix):
            continue
        stem = word[: -len(suffix)]
        yield stem
        if suffix == "d" and not stem.endswith("e"):
            continue
        if suffix != "s":
            yield stem + "e"
            if stem.endswith("i"):
                yield stem[:-1] + "y"
            if len(stem) > 2 and stem[-1] == stem[-2]:
                yield stem[:-1]
    if word.endswith("bly"):
        yield word[:-1] + "e"


def main(dictionaries, enable, kelk, *left_out):
    entry = re.compile(r"\s*12:\s+12\s.*-=\s+([a-z]{3,12})$")
    everywhere = {m[1] for m in map(entry.match, read(dictionaries)) if m}
    played = set(read(enable))
    classed = re.compile(r"([a-z]+)\s+(\d+)$")
    frequency = {m[1]: int(m[2]) for m in map(classed.match, read(kelk)) if m}
    others = [path for path in left_out if os.path.basename(path) != "text.txt"]
    unwanted = {line.split(" #")[0].lower() for path in others for line in read(path)}

    common = {w for w in everywhere & played if w in frequency}
    roots = {w for w in common if not any(b in common for b in bases(w) if len(b) > 2)}
    ranked = sorted(
        roots - unwanted,
        key=lambda w: (-frequency[w], hashlib.sha256(w.encode()).hexdigest()),
    )
    if len(ranked) < COUNT:
        sys.exit(f"text.py: only {len(ranked)} words pass, {COUNT} are needed")
    sys.stdout.write(HEAD + "".join(w + "\n" for w in sorted(ranked[:COUNT])))
    last = frequency[ranked[COUNT - 1]]
    print(f"{len(common)} common, {len(roots)} roots; last class {last}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
