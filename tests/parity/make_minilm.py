#!/usr/bin/env python3
"""Writes the fixtures of tests/parity/minilm.rs into tests/parity/data/minilm.

    pip install torch transformers==5.23 tokenizers safetensors
    python tests/parity/make_minilm.py [FOLDER]

A tiny BERT with random weights and a made vocabulary, and what transformers and the pooling of sentence-transformers make
of some texts. With a FOLDER that holds all-MiniLM-L6-v2 the cosines of sentence pairs by the real model are written too.
"""

import json
import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from safetensors.torch import save_file

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data", "minilm")
LONGEST = 24

WORDS = """a an the cat dog sits on mat in snow two three red blue man woman with umbrella walks street it is not there
photo of painting style ##s ##ing ##ed ##er un ##happy play run what who where , . ! ? ' - ( ) 1 2 3 0 é è 猫 東 京""".split()

TEXTS = ["", "a cat sits on the mat.", "The CAT sits on the mat!", "Two dogs running in the snow", "unhappy players, (walking)",
         "a photo of a red cat in the style of painting " * 4, "Ünïcödé 東京 猫", "it's not there?", "cat"]

PAIRS = [
    ("A cat sits on the mat.", "There is a cat on the mat."),
    ("A cat sits on the mat.", "The stock market fell sharply today."),
    ("cat", "a photo of a cat"),
    ("a red fox in a snowy forest, oil painting", "An oil painting that shows a red fox standing in the snow among trees."),
    ("The image shows a woman holding an umbrella in the rain.", "woman, umbrella, rain, watercolor"),
    ("", "nothing at all"),
    ("I cannot answer this question.", "Sorry, I am unable to help with that."),
    ("ANGRY FACE", "angry face"),
    ("東京の夜", "Tokyo at night"),
    ("a golden retriever plays in the park. " * 60, "a golden retriever plays in the park."),
    ("42", "forty-two"),
    ("naïve café", "naive cafe"),
]


def vocabulary():
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + c for c in letters)]
    for word in WORDS:
        if word not in words:
            words.append(word)
    return words


def write(name, value):
    with open(os.path.join(DATA, name), "w") as file:
        json.dump(value, file, ensure_ascii=False, indent=1)
        file.write("\n")


def embedded(model, tokenizer, texts, longest):
    """sentence-transformers' Transformer, Pooling (mean) and Normalize."""
    rows = []
    for text in texts:
        ids = tokenizer(text, truncation=True, max_length=longest, return_tensors="pt")
        with torch.no_grad():
            states = model(**ids).last_hidden_state
        mask = ids["attention_mask"].unsqueeze(-1).to(states.dtype)
        mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        rows.append(torch.nn.functional.normalize(mean, p=2, dim=1)[0])
    return torch.stack(rows)


def tiny():
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = vocabulary()
    made = Tokenizer(models.WordPiece({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    # As the published file: cut short and padded, which must not be taken over.
    made.enable_truncation(9)
    made.enable_padding(length=9)
    made.save(os.path.join(DATA, "tokenizer.json"))
    made.no_padding()
    fast = PreTrainedTokenizerFast(tokenizer_object=made, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
                                   sep_token="[SEP]", mask_token="[MASK]")
    torch.manual_seed(7)
    config = BertConfig(vocab_size=len(words), hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
                        intermediate_size=40, max_position_embeddings=32, hidden_act="gelu", layer_norm_eps=1e-12)
    model = BertModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for key, value in model.named_parameters():
            # Weights of a size at which nonlinearities and norms matter.
            value.copy_(torch.randn_like(value) * 0.3 + (1.0 if "LayerNorm.weight" in key else 0.0))
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, os.path.join(DATA, "model.safetensors"))
    write("config.json", {**json.loads(config.to_json_string(use_diff=False)), "model_type": "bert"})
    write("sentence_bert_config.json", {"max_seq_length": LONGEST, "do_lower_case": False})
    rows = embedded(model, fast, TEXTS, LONGEST)
    save_file({"embeddings": rows.contiguous()}, os.path.join(DATA, "expected.safetensors"))
    lengths = [len(fast(t)["input_ids"]) for t in TEXTS]
    write("texts.json", {"longest": LONGEST, "texts": TEXTS, "tokens": lengths})


def real(folder):
    from transformers import AutoTokenizer, BertModel

    model = BertModel.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    cosines = []
    for pair in PAIRS:
        a, b = embedded(model, tokenizer, pair, 256)
        cosines.append(float(a @ b))
    write("pairs.json", [{"a": a, "b": b, "cosine": round(c, 6)} for (a, b), c in zip(PAIRS, cosines)])


if __name__ == "__main__":
    os.makedirs(DATA, exist_ok=True)
    tiny()
    if len(sys.argv) > 1:
        real(sys.argv[1])
