"""Loads an export with the loader of the tool that it is for, and prints what the tool sees, one JSON object a question.

python tools.py folder|parquet|release|lmms|vlmevalkit FOLDER NAME. The NAME of a release is CONFIG:SPLIT. Ends with 3, and the reason, where a package is not installed.
"""

import json
import os
import sys
from collections import OrderedDict


def pictures(row):
    found = row.get("images") or ([row["image"]] if row.get("image") is not None else [])
    return [list(picture.size) for picture in found]


def hugging_face(rows):
    for row in rows:
        yield {k: row.get(k) for k in ("id", "question", "options", "answer", "type")} | {"pictures": pictures(row)}


def folder(path, _):
    import datasets

    return hugging_face(datasets.load_dataset("imagefolder", data_dir=path, split="train"))


def parquet(path, _):
    import datasets

    return hugging_face(datasets.load_dataset(path, split="train"))


def release(path, name):
    import datasets

    config, split = name.split(":")
    return hugging_face(datasets.load_dataset(path, config, split=split))


def lmms(path, name):
    from lmms_eval.tasks import TaskManager, get_task_dict

    manager = TaskManager("ERROR", include_path=path, model_name="any")
    assert name in manager.all_tasks, manager.all_tasks[:5]
    task = get_task_dict([name], manager)[name]
    docs = task.test_docs()
    for at in range(len(docs)):
        doc = docs[at]
        yield {
            "id": doc["id"],
            "text": task.doc_to_text(doc),
            "target": task.doc_to_target(doc),
            "pictures": [list(picture.size) for picture in task.doc_to_visual(doc)],
            "right": task.process_results(doc, [doc["answer"]]),
            "wrong": task.process_results(doc, ["quite another thing"]),
        }


def vlmevalkit(path, name):
    os.environ["LMUData"] = path
    from vlmeval.dataset.image_mcq import CustomMCQDataset

    data = CustomMCQDataset(name)
    for at in range(len(data)):
        line = data.data.iloc[at]
        message = data.build_prompt(line)
        from PIL import Image

        shown = [Image.open(part["value"]).size for part in message if part["type"] == "image"]
        yield {
            "index": int(line["index"]),
            "answer": str(line["answer"]),
            "noted": "benchtop" in line,
            "text": "\n".join(part["value"] for part in message if part["type"] == "text"),
            "pictures": [list(size) for size in shown],
        }


def main():
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_DATASETS_OFFLINE", "1")
    what, path, name = sys.argv[1:4]
    out = os.dup(1)
    os.dup2(2, 1)
    try:
        found = list(globals()[what](path, name))
    except ImportError as missing:
        print(f"not installed: {missing}", file=sys.stderr)
        sys.exit(3)
    with os.fdopen(out, "w") as out:
        for row in found:
            print(json.dumps(OrderedDict(row)), file=out)


if __name__ == "__main__":
    main()
