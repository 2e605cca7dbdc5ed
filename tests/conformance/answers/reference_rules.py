#!/usr/bin/env python3
"""How VLMEvalKit's and lmms-eval's own rules read the answers of a corpus.

    reference_rules.py CORPUS.jsonl VLMEVALKIT LMMS_EVAL OUT.csv
        [--table] [--by family|language|form] [--strip-thinking]
        [--multi-choice-regex OTHER.csv]

VLMEVALKIT and LMMS_EVAL are paths of the two repositories: a work tree, or a
git directory, whose HEAD is read. Their code is not part of this file: the
functions are taken out of those sources and run, without the packages' other
modules. What they need of numpy (argmax) and of random is given to them here;
a random choice counts as "nothing is read".

Multiple choice: can_infer of VLMEvalKit (no judge model, no random fallback),
and parse_mmmu_multi_choice_response of lmms-eval. Yes or no: YOrN_Extraction
of VLMEvalKit, and parse_pred_ans of lmms-eval's mme task.

OUT.csv has the columns id, vlmevalkit, lmms_eval, with the values of
"intended": a letter, yes, no, refused, or none where nothing is read. The
letter of an option that declines is "refused", and so is VLMEvalKit's Z.
"""

import argparse
import ast
import collections
import copy
import csv
import json
import os
import re
import string
import subprocess
import sys
import unicodedata

MATCHING = "vlmeval/utils/matching_util.py"
YORN = "vlmeval/dataset/utils/yorn.py"
MISC = "vlmeval/smp/misc.py"
MMMU = "lmms_eval/tasks/_task_utils/mmmu_mcq_utils.py"
MME = "lmms_eval/tasks/mme/utils.py"
REASONING = "lmms_eval/api/reasoning.py"
FILTERS = "lmms_eval/filters/extraction.py"
# What lmms-eval's gpqa tasks, the only ones that take this filter by its name, pass to it.
GPQA = dict(group_select=-1, ignore_case=True, ignore_punctuation=True, regex_pattern=r"(\([A-Z]\))")
THINKING = [["<think>", "</think>"], ["<reasoning>", "</reasoning>"], ["<thinking>", "</thinking>"], ["◁think▷", "◁/think▷"]]


class Unread(Exception):
    """Raised where the code of a tool would take a random option."""


class NoRandom:
    @staticmethod
    def choice(_):
        raise Unread


class Argmax:
    @staticmethod
    def argmax(values):
        return max(range(len(values)), key=values.__getitem__)


def source(repository, path):
    """The text of a file of a work tree or of a git directory."""
    plain = os.path.join(repository, path)
    if os.path.exists(plain):
        with open(plain, encoding="utf-8") as file:
            return file.read()
    return subprocess.run(["git", "-C", repository, "show", "HEAD:" + path], check=True, capture_output=True, encoding="utf-8").stdout


def take(repository, path, names, given):
    """Runs the named functions, classes and constants of a source file, and gives its names back."""
    tree = ast.parse(source(repository, path))
    wanted, found = [], set()
    for node in tree.body:
        defined = {node.name} if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else set()
        if isinstance(node, ast.Assign):
            defined = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if defined & set(names):
            wanted.append(node)
            found |= defined
    missing = set(names) - found
    if missing:
        raise SystemExit(f"{path} does not define {', '.join(sorted(missing))}")
    space = dict(given)
    exec(compile(ast.Module(wanted, []), path, "exec"), space)
    return space


class Tools:
    def __init__(self, vlmevalkit, lmms_eval):
        typing = {name: __import__("typing").__dict__[name] for name in ("List", "Optional", "Union")}
        basic = {"os": os, "re": re, "string": string, "cp": copy}
        matching = take(vlmevalkit, MATCHING, ["_VERBOSE_ANSWER_RE", "can_infer_option", "can_infer_text", "can_infer"], basic)
        punctuation = take(vlmevalkit, MISC, ["process_punctuation"], basic)
        yorn = take(vlmevalkit, YORN, ["YOrN_Extraction"], {**basic, "process_punctuation": punctuation["process_punctuation"]})
        mmmu = take(lmms_eval, MMMU, ["parse_mmmu_multi_choice_response"], {"re": re, "random": NoRandom, "np": Argmax})
        self.can_infer = matching["can_infer"]
        self.yorn = yorn["YOrN_Extraction"]
        self.mmmu = mmmu["parse_mmmu_multi_choice_response"]
        self.mme = take(lmms_eval, MME, ["parse_pred_ans"], {})["parse_pred_ans"]
        self.strip = take(lmms_eval, REASONING, ["strip_reasoning_tags"], typing)["strip_reasoning_tags"]
        classes = take(lmms_eval, FILTERS, ["RegexFilter", "MultiChoiceRegexFilter"], {"re": re, "sys": sys, "unicodedata": unicodedata, "Filter": object})
        self.regex_filter = classes["MultiChoiceRegexFilter"]

    def vlmevalkit(self, item, output):
        if item["form"] == "yes-no":
            return {"Yes": "yes", "No": "no"}.get(self.yorn(output), "none")
        read = self.can_infer(output, dict(zip(string.ascii_uppercase, item["options"])))
        return "refused" if read == "Z" else letter(item, read)

    def lmms_eval(self, item, output):
        if item["form"] == "yes-no":
            read = self.mme(output)
            return read if read in ("yes", "no") else "none"
        texts = dict(zip(string.ascii_uppercase, item["options"]))
        try:
            return letter(item, self.mmmu(output, list(texts), texts))
        except Unread:
            return "none"

    def filtered(self, items, outputs):
        """What MultiChoiceRegexFilter makes of multiple-choice answers; ids to readings."""
        asked = [(item, output) for item, output in zip(items, outputs) if item["form"] != "yes-no"]
        rule = self.regex_filter(**GPQA)
        read = rule.apply([[output] for _, output in asked], [{"choices": item["options"]} for item, _ in asked])
        return {item["id"]: letter(item, found[0].strip("()")) for (item, _), found in zip(asked, read)}


def letter(item, read):
    if not read or read not in list(string.ascii_uppercase[: len(item["options"])]):
        return "none"
    return "refused" if string.ascii_uppercase.index(read) == item["refusal"] else read


def verdict(intended, read):
    if intended in ("none", "refused"):
        return "right" if read in ("none", "refused") else "wrong"
    if read == intended:
        return "right"
    return "unread" if read == "none" else "wrong"


def table(items, readings, by):
    groups = [("all", items)]
    if by:
        keys = sorted({item[by] for item in items})
        groups += [(key, [item for item in items if item[by] == key]) for key in keys]
    width = max(len(name) for name, _ in groups)
    print(f"{'':{width}}     n  " + "  ".join(f"{tool:^23}" for tool in readings))
    print(f"{'':{width}}        " + "  ".join(f"{'right':>7} {'unread':>7} {'wrong':>7}" for _ in readings))
    for name, group in groups:
        cells = []
        for read in readings.values():
            count = collections.Counter(verdict(item["intended"], read[item["id"]]) for item in group if item["id"] in read)
            cells.append(" ".join(f"{count[which]:7}" for which in ("right", "unread", "wrong")))
        print(f"{name:{width}} {len(group):5}  " + "  ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("vlmevalkit")
    parser.add_argument("lmms_eval")
    parser.add_argument("out")
    parser.add_argument("--table", action="store_true", help="print right, unread and wrong of both rules")
    parser.add_argument("--by", choices=["family", "language", "form"], help="with --table, also by this field")
    parser.add_argument("--strip-thinking", action="store_true", help="first take thinking out with lmms-eval's strip_reasoning_tags")
    parser.add_argument("--multi-choice-regex", metavar="CSV", help="also write what lmms-eval's MultiChoiceRegexFilter reads")
    options = parser.parse_args()
    os.environ.pop("VERBOSE", None)  # it changes VLMEvalKit's rule

    with open(options.corpus, encoding="utf-8") as file:
        items = [json.loads(line) for line in file if line.strip()]
    tools = Tools(options.vlmevalkit, options.lmms_eval)
    outputs = [tools.strip(item["output"], THINKING) if options.strip_thinking else item["output"] for item in items]
    readings = {
        "vlmevalkit": {item["id"]: tools.vlmevalkit(item, output) for item, output in zip(items, outputs)},
        "lmms_eval": {item["id"]: tools.lmms_eval(item, output) for item, output in zip(items, outputs)},
    }
    with open(options.out, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["id", *readings])
        rows.writerows([item["id"], *(read[item["id"]] for read in readings.values())] for item in items)
    if options.multi_choice_regex:
        read = tools.filtered(items, outputs)
        with open(options.multi_choice_regex, "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["id", "multi_choice_regex"])
            rows.writerows(read.items())
        readings["multi_choice_regex"] = read
    if options.table:
        table(items, readings, options.by)


if __name__ == "__main__":
    main()
