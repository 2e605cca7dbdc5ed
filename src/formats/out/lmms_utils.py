"""Functions of this task, which its .yaml names: what a model is shown, and how its answers are counted."""

import io

HOW = {
    "multiple-choice": "Answer with the option's letter from the given choices directly.",
    "true-false": "Answer with the option's letter from the given choices directly.",
    "yes-no": "Please answer yes or no.",
    "free-form": "",
}


def _letter(at):
    return chr(ord("A") + at) if at < 26 else str(at + 1)


def _options(doc):
    return list(doc.get("options") or [])


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    lines = [doc["question"]]
    lines += [f"{_letter(at)}. {text}" for at, text in enumerate(_options(doc))]
    how = HOW.get(doc["type"], "")
    return "\n".join(lines + ([how] if how else []))


def doc_to_visual(doc):
    found = doc.get("images") or ([doc["image"]] if doc.get("image") is not None else [])
    pictures = []
    for picture in found:
        if isinstance(picture, dict):
            from PIL import Image

            picture = Image.open(io.BytesIO(picture["bytes"]))
        pictures.append(picture.convert("RGB"))
    return pictures


def doc_to_target(doc):
    return doc["answer"]


def extract(doc, output):
    """What the model chose, by the rule strict@2 of benchtop, which stands below; None where nothing is read."""
    options = _options(doc)
    if not options and doc["type"] not in ("yes-no", "true-false"):
        return output.strip()
    said = read(options, doc["type"], output, doc_to_text(doc))
    if said in ("yes", "no"):
        return said.capitalize()
    return doc_answer(doc, said) if isinstance(said, int) else None


def doc_answer(doc, at):
    return _letter(at) if at < 26 else _options(doc)[at]


def process_results(doc, results):
    """One for a right answer and nought for a wrong or unclear one; text is compared without regard to case."""
    said = extract(doc, results[0])
    right = said is not None and said.strip().lower() == doc["answer"].strip().lower()
    return {"exact_match": 1.0 if right else 0.0}
