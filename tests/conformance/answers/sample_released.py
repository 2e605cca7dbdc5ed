#!/usr/bin/env python3
"""Draws the released answers from clones of public repositories.

    python3 sample_released.py CLONES released-development.csv released-development.jsonl
    python3 sample_released.py CLONES --drawn drawn.jsonl
    python3 sample_released.py CLONES --second drawn-2.jsonl

CLONES holds one git directory a repository, named OWNER+NAME (work tree, git directory, or OWNER+NAME/repo).
With a label file it writes the lines that the label file names, with `intended` and `why` from it, and checks
each output against its digest. With --drawn it writes the whole first sample without labels, with --second the second.
Python 3.9 or later, git, and openpyxl; the same commits give the same bytes.
"""

import csv
import hashlib
import io
import json
import os
import random
import re
import subprocess
import sys
import zipfile

SEED = "benchtop released answers 1"
SECOND = "benchtop released answers 2"
LONGEST = 6000
MOST_OPTIONS = 9

COMMITS = {
    "FreedomIntelligence/AceGPT": "061a656497168edd8f01ce6c03d6a4c7fa1d42d5",
    "MMMU-Benchmark/MMMU": "bb0b95a945998d91dfef37e969e07d49d1139438",
    "OpenLMLab/GAOKAO-Bench": "6dbb24f8d8439041e5431c4c184a582182a6ce9c",
    "TIGER-AI-Lab/MMLU-Pro": "f418b116db00b065c2aea046518d8fcf74d39872",
    "WorldMedQA/V": "ec9c474784319bcd5ec3d2c4642a8fcde2548165",
    "causalNLP/moralmachine": "1987958a9453ac9e8647352af83a47622eca3523",
    "foundation29org/MIR_AI_F29": "0aa2005e0a631d0bbc806cd07e9900660899ef6c",
    "hitz-zentroa/latxa": "a25de15716d483eef2783778ec258e1d3b1c8be7",
    "kuk/simple-evals-ru": "5fb1507eafd70be92ff3379440c13ee5272963ce",
    "paul-rottger/llm-values-pct": "b4e5d89a83eb39c1806133e3c3b124f4c90ed40d",
    "piresramon/gpt-4-enem": "cbba7fdd735845bb45ac80d5090baae1b949d782",
    "suzgunmirac/BIG-Bench-Hard": "9ee07bd481feebf959a6b59d61ea57bdcf30964d",
    "tianyi-lab/HallusionBench": "744007c232c292942c7f80eb61edb2465482da31",
    "worldcuisines/worldcuisines": "d4d1c4446f468877c06bbf4e516bbe44993246d0",
}

# Their prompts number the options.
NUMBERED = {"foundation29org/MIR_AI_F29", "paul-rottger/llm-values-pct", "worldcuisines/worldcuisines"}

CLONES = ""
EXCLUDED = {}


def git_dir(repo):
    base = os.path.join(CLONES, repo.replace("/", "+"))
    inner = os.path.join(base, "repo")
    return inner if os.path.isdir(inner) else base


def git(repo, *args):
    return subprocess.run(["git", "-C", git_dir(repo), *args], capture_output=True, check=True).stdout


def show(repo, path):
    return git(repo, "show", f"{COMMITS[repo]}:{path}")


def json_lines(repo, path):
    """The records of a file; none where the clone lacks it (snapshots leave out large files)."""
    try:
        text = show(repo, path).decode()
    except subprocess.CalledProcessError:
        EXCLUDED["files that the clone lacks"] = EXCLUDED.get("files that the clone lacks", 0) + 1
        return []
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def paths(repo, under):
    out = git(repo, "ls-tree", "-r", "-z", "--name-only", COMMITS[repo], "--", under)
    return sorted(p for p in out.decode().split("\0") if p)


def sheet(data, name=None):
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
    rows = list((book[name] if name else book.active).iter_rows(values_only=True))
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def lettered(text):
    """The stem and the options of a question that lists them as A, B, C ... each at the start of a line or after blanks."""
    found, at = [], 0
    for letter in "ABCDEFGHI":
        pattern = re.compile(r"(?:^|(?<=\s)|(?<=[）)]))\(?" + letter + r"\s*[.．)、:]\s*", re.M)
        match = pattern.search(text, at)
        if match is None:
            break
        found.append(match)
        at = match.end()
    if len(found) < 2:
        return text.strip(), []
    ends = [match.start() for match in found[1:]] + [len(text)]
    options = [" ".join(text[m.end():end].split()) for m, end in zip(found, ends)]
    return text[:found[0].start()].strip(), options


def numbered(text):
    """The options of a prompt that lists them as 1, 2, 3 ... on lines of their own."""
    options = []
    for line in re.split(r"\n|\\n", text):
        match = re.match(r"\s*(\d)\s*[.)]\s*(.+)", line)
        if match and int(match[1]) == len(options) + 1:
            options.append(match[2].strip())
    return options


def numbered_inline(text):
    """The same where the options may follow each other on one line."""
    found, at = [], 0
    for number in "123456789":
        match = re.compile(r"(?:^|\s|\\n)" + number + r"\s*\.\s+").search(text, at)
        if match is None:
            break
        found.append(match)
        at = match.end()
    ends = [match.start() for match in found[1:]] + [len(text)]
    return [" ".join(text[m.end():end].replace("\\n", " ").split()) for m, end in zip(found, ends)]


# Each source yields (model, language, form, question, options, output, file, row, count wanted of its stratum).


def ace():
    repo = "FreedomIntelligence/AceGPT"
    for path in paths(repo, "eval_results/Arabic MMLU"):
        parts = path.split("/")
        if "few_shot" not in parts or not path.endswith(".jsonl"):
            continue
        for row, record in enumerate(json_lines(repo, path)):
            question, options = lettered(record["query"].removeprefix("سؤال:").strip())
            yield repo, parts[2], "ar", "multiple-choice", question, options, record["response"], path, row, 12


def mmmu_pro():
    repo = "MMMU-Benchmark/MMMU"
    import ast

    for kind, many in (("cot", 28), ("direct", 12)):
        path = f"mmmu-pro/output/gpt-4o_standard(10 options)_{kind}.jsonl"
        for row, record in enumerate(json_lines(repo, path)):
            options = [str(o) for o in ast.literal_eval(record["options"])]
            if any(o.startswith("<image") for o in options):
                EXCLUDED["options are images"] = EXCLUDED.get("options are images", 0) + 1
                continue
            yield repo, f"gpt-4o {kind}", "en", "multiple-choice", record["question"], options, record["response"], path, row, many


def gaokao():
    repo = "OpenLMLab/GAOKAO-Bench"
    for path in paths(repo, "Results/gpt_4_0314_obj"):
        if not path.endswith("MCQs.json") or "English" in path:
            continue
        for row, record in enumerate(json.loads(show(repo, path))["example"]):
            # Several questions under one passage are not one answer; several right letters are not one choice.
            if len(record["standard_answer"]) != 1 or len(record["standard_answer"][0]) != 1:
                continue
            question, options = lettered(record["question"])
            if len(options) != 4:
                continue
            yield repo, "gpt-4-0314", "zh-Hans", "multiple-choice", question, options, record["model_output"], path, row, 40


PRO = [
    "Mistral-7B-Instruct-v0.1", "Mistral-7B-Instruct-v0.2", "Mistral-7B-v0.1", "Llama-2-7b-hf", "Llama-2-70b-hf",
    "Meta-Llama-3-8B", "Meta-Llama-3_1-8B-Instruct", "Meta-Llama-3_1-70B-Instruct", "Phi-3-mini-4k-instruct",
    "Qwen1.5-7B-Chat", "Yi-6b-Chat", "c4ai-command-r-v01", "gemini-1.5-flash-002", "jamba-1.5-large", "mathstral-7B",
]


def mmlu_pro():
    repo = "TIGER-AI-Lab/MMLU-Pro"
    for model in PRO:
        path = f"eval_results/model_outputs_{model}_5shots.zip"
        archive = zipfile.ZipFile(io.BytesIO(show(repo, path)))
        name = next(n for n in archive.namelist() if n.endswith(".json") and "MACOSX" not in n)
        for row, record in enumerate(json.loads(archive.read(name))):
            output = record.get("generated_text") or record.get("model_outputs")
            yield repo, model, "en", "multiple-choice", record["question"], record["options"], output, path, row, 8


PLACES = {"brazil": "pt", "israel": "he", "japan": "ja", "spain": "es"}
MED = {
    "GPT4o": 9, "GPT4o_MINI": 9, "GeminiFlash1-5": 9, "GeminiPro1-5": 9, "llava_next_vicuna_7b": 4,
    "paligemma-3b-mix-448": 4, "llava_next_llama3": 1, "llava_next_mistral_7b": 1, "llava_next_yi_34b": 1, "Yi_VL_6B": 1,
}


def med():
    repo = "WorldMedQA/V"
    for model, many in MED.items():
        for place, language in PLACES.items():
            for script, tongue in (("local", language), ("english", "en")):
                path = f"visuals/outputs_w_images/{model}/{model}_{place}_{script}.xlsx"
                try:
                    rows = sheet(show(repo, path))
                except subprocess.CalledProcessError:
                    continue
                for row, record in enumerate(rows):
                    options = [record[letter] for letter in "ABCDE" if record.get(letter) is not None]
                    options = [str(option) for option in options]
                    # English questions of all four exams share one place.
                    wanted = many if script == "local" else max(1, many // 2)
                    yield repo, model, tongue, "multiple-choice", str(record["question"]), options, record["prediction"], path, row, wanted


def moral():
    repo = "causalNLP/moralmachine"
    tongues = {"de": ("de", 26), "it": ("it", 7), "zh": ("zh-Hans", 7)}
    files = [("gpt3", f"gpt3_default_{t}", *tongues[t]) for t in tongues]
    files += [("gpt4", "gpt4_default_en", "en", 12), ("gpt3.5", "gpt3.5_default_en", "en", 12)]
    files += [("alpaca007", "alpaca007_default_en", "en", 10), ("llama007", "llama007_default_en", "en", 10)]
    for model, name, language, many in files:
        path = f"data/cache/{name}_response.csv"
        records = csv.DictReader(io.StringIO(show(repo, path).decode()))
        for row, record in enumerate(r for r in records if r["query"] != "query"):
            options = re.findall(r"^- (.+)$", record["query"], re.M)
            if len(options) != 2:
                continue
            yield repo, model, language, "multiple-choice", record["query"], options, record["pred"], path, row, many


def mir():
    repo = "foundation29org/MIR_AI_F29"
    path = "data/24/MIR24GPT_final.xlsx"
    for row, record in enumerate(sheet(show(repo, path), "Promt 1 ES")):
        question = str(record["Pregunta"]).replace("\\n", "\n")
        options = numbered_inline(question)
        output = str(record["answer"]).replace("\\n", "\n")
        yield repo, "gpt-4 (Azure)", "es", "multiple-choice", question, options, output, path, row, 40


def latxa():
    repo = "hitz-zentroa/latxa"
    for model in ("gpt-3.5-turbo-0125", "gpt-4-0125-preview", "gpt-4-0613"):
        for path in paths(repo, f"evaluation/results/{model}"):
            if not re.search(r"/eus_(trivia|proficiency|reading|exams_eu_op\w+)_test", path) or not path.endswith(".jsonl"):
                continue
            for row, record in enumerate(json_lines(repo, path)):
                output = record["response"]["choices"][0]["message"]["content"]
                yield repo, model, "eu", "multiple-choice", record["question"], record["candidates"], output, path, row, 10


KUK_MMLU = [
    "04_llama_3_1_8b", "06_qwen_2_5_7b", "07_yandexgpt_4_lite", "08_gigachat_lite", "10_llama_3_1_8b", "11_yandexgpt_4_pro",
    "12_gigachat_pro", "16_deepseek_v3", "17_yandexgpt_5_pro", "18_cotype_nano", "19_t_lite", "20_t_pro", "21_saiga",
    "22_vikhr", "23_saiga", "24_ruadapt", "27_gigachat_max", "28_qwen_2_5_32b", "30_yandexgpt_5_lite",
]


def kuk():
    repo = "kuk/simple-evals-ru"
    benches = {}
    for bench in ("mmlu", "bbh"):
        for record in json_lines(repo, f"data/benches/{bench}.jsonl"):
            benches[record["id"]] = record
    for name in KUK_MMLU:
        path = f"data/results/mmlu/{name}.jsonl"
        for row, record in enumerate(json_lines(repo, path)):
            asked = benches[record["id"]]
            options = list(asked["options"].values())
            yield repo, name, "en", "multiple-choice", asked["question"], options, record["answer"], path, row, 7
    for name in ("02_llama_3_2_1b", "18_cotype_nano", "25_gigachat_lite", "29_ruadapt"):
        path = f"data/results/bbh/{name}.jsonl"
        for row, record in enumerate(json_lines(repo, path)):
            asked = benches[record["id"]]
            form, question, options = hard(asked["input"], asked["target"])
            if form:
                yield repo, f"{name} (bbh)", "en", form, question, options, record["answer"], path, row, 8


def hard(text, target):
    """A question of BIG-Bench Hard: its form, stem and options."""
    if target.lower() in ("yes", "no"):
        return "yes-no", text, []
    if "\nOptions:\n(A)" in text:
        question, options = lettered(text)
        return "multiple-choice", question.removesuffix("Options:").strip(), options
    return None, text, []


def bbh():
    repo = "suzgunmirac/BIG-Bench-Hard"
    for path in paths(repo, "code-davinci-002-outputs/code-davinci-002-cot"):
        if not path.endswith("-255000.json"):
            continue
        for row, record in enumerate(json.loads(show(repo, path))["outputs"]):
            last = record["input"].rsplit("\n\nQ: ", 1)[-1]
            last = re.sub(r"\nA:.*$", "", last, flags=re.S)
            output = record["prediction"]
            form, question, options = hard(last, record["target"])
            if form:
                yield repo, "code-davinci-002", "en", form, question, options, output, path, row, 40


def values():
    repo = "paul-rottger/llm-values-pct"
    for folder in ("explicit_jailbreak_experiments_230124", "explicit_paraphrase_experiments_240124"):
        for path in paths(repo, f"data/completions/{folder}"):
            records = csv.DictReader(io.StringIO(show(repo, path).decode()))
            model = os.path.basename(path).removesuffix(".csv")
            for row, record in enumerate(records):
                options = numbered(record["ans_prompt"])
                question = record["full_prompt"].strip()
                yield repo, model, "en", "multiple-choice", question, options, record["completion"], path, row, 12


def enem():
    repo = "piresramon/gpt-4-enem"
    asked = {q["id"]: q for q in json.loads(show(repo, "data/enem/2022.json"))}
    runs = [("code-davinci-002", 3, "enem"), ("code-davinci-002", 3, "enem_cot"), ("gpt-3.5-turbo-0301", 0, "enem")]
    runs += [("gpt-3.5-turbo-0301", 3, "enem_cot"), ("gpt-4-0314", 0, "enem"), ("gpt-4-0314", 3, "enem_cot")]
    for model, shots, task in runs:
        path = f"reports/engine={model}_numfewshot={shots}_task={task}_2022.json"
        for row, record in enumerate(json.loads(show(repo, path))):
            question = asked.get(record["id"])
            if question is None or not all(question["options"]):
                continue
            yield repo, f"{model} {task} {shots}-shot", "pt", "multiple-choice", question["question"], question["options"], record["response"], path, row, 13


def hallusion():
    repo = "tianyi-lab/HallusionBench"
    path = "HallusionBench_result_sample.json"
    for row, record in enumerate(json.loads(show(repo, path))):
        yield repo, "gpt-4v", "en", "yes-no", record["question"], [], record["model_prediction"], path, row, 40


TONGUES = {
    "ar": "ar", "bn": "bn", "cs": "cs", "fr": "fr", "hi": "hi", "id_formal": "id", "it": "it", "ja_formal": "ja",
    "ko_formal": "ko", "ru_formal": "ru", "th": "th", "zh_cn": "zh-Hans", "az": "az",
}
DISHES = {
    "old_pangea-7b": 3, "aria-25B-moe-4B": 3, "llava-1.6-13b": 3, "llama-3.2-11b": 3, "molmoe-1b": 3, "gemini-1.5-flash": 2,
    "gpt-4o-2024-08-06": 2, "gpt-4o-mini-2024-07-18": 1, "llama-3.2-90b": 1, "pixtral-12b": 2, "pangea-7b": 1,
    "qwen2-vl-7b-instruct": 1, "Phi-3.5-vision-instruct": 1,
}


def dishes():
    repo = "worldcuisines/worldcuisines"
    asked = {}
    for task in (1, 2):
        for tongue in TONGUES:
            path = f"generate_vqa/generated_data/prompt_multi_choice/large_eval_task{task}/{tongue}_large_eval_task{task}.jsonl"
            for record in json_lines(repo, path):
                asked[task, tongue, record["qa_id"], record["gold_label"]] = record["text_prompt"]
    for model, many in DISHES.items():
        for task in (1, 2):
            path = f"evaluation/result/small/task{task}_mc_{model}_pred_small.jsonl"
            for row, record in enumerate(json_lines(repo, path)):
                prompt = asked.get((task, record["lang"], str(record["qa_id"]), record["multi_choice_answer"]))
                if prompt is None:
                    continue
                options = numbered(prompt)
                yield repo, model, TONGUES[record["lang"]], "multiple-choice", prompt, options, record["prediction"], path, row, many


SOURCES = [ace, mmmu_pro, gaokao, mmlu_pro, med, moral, mir, latxa, kuk, bbh, values, enem, hallusion, dishes]


def exclude(why):
    EXCLUDED[why] = EXCLUDED.get(why, 0) + 1


def fits(form, question, options, output):
    if not isinstance(output, str):
        return exclude("no text")
    if not question or not question.strip():
        return exclude("no question")
    if form == "multiple-choice" and (len(options) < 2 or not all(o and str(o).strip() for o in options)):
        return exclude("options missing")
    if len(options) > MOST_OPTIONS:
        return exclude("more than nine options")
    if len(output) > LONGEST:
        return exclude("output over 6,000 characters")
    return True


def drawn():
    """The first sample and the second."""
    strata = {}
    for source in SOURCES:
        for repo, model, language, form, question, options, output, path, row, many in source():
            if not fits(form, question, options, output):
                continue
            name = f"{repo}@{COMMITS[repo]} {path}#{row} {model}"
            digest = hashlib.sha256(name.encode()).hexdigest()
            line = {
                "id": "r" + digest[:10], "language": language, "form": form, "question": question,
                "options": [str(o) for o in options], "refusal": None, "output": output, "intended": None,
                "family": "released", "source": name,
            }
            if repo in NUMBERED:
                line["labels"] = "numbers"
            strata.setdefault((repo, model, language), [many, []])[1].append(line)
    lines, taken = [], {}
    for key, (many, rows) in sorted(strata.items()):
        taken[key] = random.Random(f"{SEED} {key}").sample(rows, min(many, len(rows)))
        lines += taken[key]
    return by_id(lines), by_id(second(strata, taken))


def by_id(lines):
    return sorted(lines, key=lambda line: line["id"])


def asked_of(line):
    return line["question"], tuple(line["options"])


def second(strata, taken):
    """Half as many of each stratum, of what the first sample left."""
    first = [line for lines in taken.values() for line in lines]
    ids = {line["id"] for line in first}
    texts = {(line["question"], line["output"]) for line in first}
    questions = {asked_of(line) for line in first}
    lines, up = [], {}
    for key, (_, rows) in sorted(strata.items()):
        half, odd = divmod(len(taken[key]), 2)
        if odd:
            # Odd numbers are rounded up and down in turn, so that a repository keeps its share.
            up[key[0]] = not up.get(key[0], False)
            half += up[key[0]]
        left = [r for r in rows if r["id"] not in ids and (r["question"], r["output"]) not in texts]
        new = [r for r in left if asked_of(r) not in questions]
        # Questions of the first sample only where a stratum has too few others.
        rng = random.Random(f"{SECOND} {key}")
        chosen = rng.sample(new, min(half, len(new)))
        old = [r for r in left if asked_of(r) in questions]
        lines += chosen + rng.sample(old, min(half - len(chosen), len(old)))
    return lines


def held_out(name):
    return int(hashlib.sha256(("deal " + name).encode()).hexdigest(), 16) % 2 == 1


def main():
    global CLONES
    CLONES, labels, out = sys.argv[1:4]
    first, again = drawn()
    lines = again if labels == "--second" else first
    if not labels.startswith("--"):
        lines = by_id(first + again)
        with open(labels, encoding="utf-8", newline="") as file:
            marks = {row["id"]: row for row in csv.DictReader(file)}
        lines = [line for line in lines if line["id"] in marks]
        assert len(lines) == len(marks), "the label file names lines that were not drawn"
        for line in lines:
            mark = marks[line["id"]]
            digest = hashlib.sha256(line["output"].encode()).hexdigest()[:16]
            assert digest == mark["output_sha256"], f"{line['id']}: another output"
            line["intended"] = mark["intended"]
            if mark["why"]:
                line["why"] = mark["why"]
    with open(out, "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    for why, count in sorted(EXCLUDED.items()):
        print(f"excluded before the draw: {count} {why}", file=sys.stderr)
    print(f"{len(lines)} lines", file=sys.stderr)


if __name__ == "__main__":
    main()
