#!/usr/bin/env python3
"""Writes the fixtures of tests/parity for schedulers, text encoders and tokenizers into tests/parity/data.

    pip install torch diffusers==0.42 transformers==5.23 safetensors
    python tests/parity/make_text.py [schedulers] [text] [tokenizer]

Everything is made from fixed seeds: the models are tiny and random, the vocabulary is made from the word list below.
Without a name all three are written.
"""

import json
import os
import re
import sys
from collections import Counter

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from safetensors.torch import save_file

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")


def schedulers():
    """Trajectories of a toy model through each scheduler, and the configurations as diffusers writes them."""
    import diffusers
    from diffusers import (DDIMScheduler, DPMSolverMultistepScheduler, EulerAncestralDiscreteScheduler,
                           EulerDiscreteScheduler)

    classes = {
        "euler": EulerDiscreteScheduler,
        "euler-ancestral": EulerAncestralDiscreteScheduler,
        "ddim": DDIMScheduler,
        "dpm++2m": DPMSolverMultistepScheduler,
    }
    sd = dict(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", num_train_timesteps=1000)
    cases = []

    def case(name, steps=20, strength=1.0, **config):
        config = {**sd, **config}
        if name == "ddim":
            config = {"clip_sample": False, **config}
        cases.append((name, steps, strength, config))

    for name in classes:
        for prediction in ("epsilon", "v_prediction", "sample"):
            if name == "euler-ancestral" and prediction == "sample":
                continue  # not implemented in diffusers
            for spacing in ("leading", "linspace", "trailing"):
                case(name, prediction_type=prediction, timestep_spacing=spacing, steps_offset=1)
        for spacing in ("leading", "trailing"):
            case(name, steps=4, timestep_spacing=spacing, steps_offset=1)
            case(name, steps=1, timestep_spacing=spacing)
            case(name, steps=30, timestep_spacing=spacing, steps_offset=1, strength=0.55)
        case(name, steps=7, beta_schedule="linear", beta_start=0.0001, beta_end=0.02)
        case(name, steps=12, beta_schedule="squaredcos_cap_v2")
        case(name, steps=48, timestep_spacing="trailing")
    for name in ("euler", "dpm++2m"):
        case(name, final_sigmas_type="sigma_min", timestep_spacing="leading")
        for spacing in ("leading", "trailing"):
            case(name, steps=25, use_karras_sigmas=True, timestep_spacing=spacing, steps_offset=1)
        case(name, steps=1, use_karras_sigmas=True)
        case(name, steps=9, use_karras_sigmas=True, beta_schedule="squaredcos_cap_v2", prediction_type="v_prediction")
        case(name, steps=40, use_karras_sigmas=True, strength=0.6)
    case("ddim", set_alpha_to_one=False, steps_offset=1)
    case("ddim", clip_sample=True, clip_sample_range=0.8)
    case("dpm++2m", steps=10, lower_order_final=False, final_sigmas_type="sigma_min")
    case("dpm++2m", steps=10, lower_order_final=True, final_sigmas_type="sigma_min")
    case("dpm++2m", steps=18, euler_at_final=True, final_sigmas_type="sigma_min")
    case("dpm++2m", beta_schedule="squaredcos_cap_v2", lambda_min_clipped=-5.1, prediction_type="v_prediction")

    generator = torch.Generator().manual_seed(1)
    shape = (2, 2, 2, 2)
    start, clean = torch.randn(shape, generator=generator), torch.randn(shape, generator=generator) * 0.5
    noise = torch.randn((48, *shape), generator=generator)
    tensors = {"start": start, "clean": clean, "noise": noise}
    described = []
    for at, (name, steps, strength, config) in enumerate(cases):
        scheduler = classes[name](**config)
        scheduler.set_timesteps(steps)
        first = steps - min(int(steps * strength), steps)
        times = scheduler.timesteps[first:]
        if hasattr(scheduler, "set_begin_index"):
            scheduler.set_begin_index(first)
        if first:
            sample = scheduler.add_noise(clean, start, times[:1].repeat(shape[0]))
        else:
            sample = start * scheduler.init_noise_sigma
        # The ancestral scheduler draws its own noise: it is given ours instead.
        module = sys.modules[type(scheduler).__module__]
        path = [sample]
        for i, t in enumerate(times):
            if name == "euler-ancestral":
                module.randn_tensor = lambda *_, i=i, **__: noise[first + i]
            seen = scheduler.scale_model_input(sample, t)
            output = torch.sin(1.3 * seen + t.to(torch.float32) / 500)
            sample = scheduler.step(output, t, sample).prev_sample
            path.append(sample)
        tensors[f"path.{at}"] = torch.stack(path)
        described.append({
            "scheduler": name,
            "steps": steps,
            "strength": strength,
            "first": first,
            "timesteps": [float(t) for t in scheduler.timesteps],
            "init_noise_sigma": float(scheduler.init_noise_sigma),
            # The text as diffusers writes it, -Infinity and all.
            "config": scheduler.to_json_string(),
        })
    save_file(tensors, os.path.join(DATA, "schedulers.safetensors"))
    with open(os.path.join(DATA, "schedulers.json"), "w") as file:
        json.dump({"diffusers": diffusers.__version__, "cases": described}, file, indent=0)
        file.write("\n")


def text():
    """Three tiny encoders with random weights, and what transformers makes of some ids."""
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    vocab, length, eos = 64, 12, 61
    measures = dict(vocab_size=vocab, hidden_size=32, intermediate_size=48, num_attention_heads=4,
                    max_position_embeddings=length, bos_token_id=60)
    # The 2 of old files; the second has the real id, and ids above it (an added token) in its texts.
    models = {
        "clip_l": (CLIPTextModel, dict(hidden_act="quick_gelu", num_hidden_layers=3, eos_token_id=2), eos),
        "openclip_g": (CLIPTextModelWithProjection,
                       dict(hidden_act="gelu", num_hidden_layers=2, projection_dim=24, eos_token_id=eos), 0),
        "openclip_h": (CLIPTextModel, dict(hidden_act="gelu", num_hidden_layers=2, eos_token_id=2), 0),
    }
    for at, (name, (kind, config, pad)) in enumerate(models.items()):
        torch.manual_seed(at)
        config = CLIPTextConfig(**measures, **config, layer_norm_eps=1e-5)
        model = kind(config).eval()
        # Weights of a size at which the nonlinearities and the norms matter.
        with torch.no_grad():
            for key, value in model.named_parameters():
                scale = 0.6 if "fc1" in key else 0.25
                value.copy_(torch.randn_like(value) * scale + (1.0 if "norm" in key and "weight" in key else 0.0))
        texts = [[60, *[int(i) for i in torch.randint(1, 58, (n,))], eos] for n in (3, 10, 0)]
        if config.eos_token_id == eos:
            texts[1][4] = 63
        texts = [t + [pad] * (length - len(t)) for t in texts]
        with torch.no_grad():
            out = model(input_ids=torch.tensor(texts), output_hidden_states=True)
            inner = model.text_model if hasattr(model, "text_model") else model
            pooled = inner(input_ids=torch.tensor(texts)).pooler_output
        tensors = {
            "ids": torch.tensor(texts),
            "last": out.last_hidden_state,
            "penultimate": out.hidden_states[-2],
            "pooled": pooled,
        }
        if name == "openclip_g":
            tensors["projected"] = out.text_embeds
        save_file({k: v.contiguous() for k, v in tensors.items()}, os.path.join(DATA, f"{name}_expected.safetensors"))
        # Published files have text_model. in front of most names; one of ours is without.
        weights = {k.removeprefix("text_model."): v for k, v in model.state_dict().items()}
        front = "" if name == "openclip_h" else "text_model."
        weights = {k if k.startswith("text_projection") else front + k: v for k, v in weights.items()}
        save_file({k: v.contiguous() for k, v in weights.items()}, os.path.join(DATA, f"{name}.safetensors"))
        config.architectures = [kind.__name__]
        with open(os.path.join(DATA, f"{name}.json"), "w") as file:
            file.write(config.to_json_string())


WORDS = """a photo of the cat dog and in on with an oil painting style watercolor portrait landscape city street night
sunset over mountain river forest snow red blue green yellow black white small large old young man woman child people
standing sitting running beside table chair house car train boat bird horse tree flower light dark detailed high
quality best masterpiece sharp focus cinematic digital art trending render realistic photograph film noir vintage
it's don't we'll they're i've 2 3 4 10 1990s café naïve crème brûlée garçon über straße 东京 的 猫 写真 日本 が の
한국 москва кот 😀 🎨 artstation octane unreal engine bokeh depth field grain lighting studio isometric""".split()

PROMPTS = [
    "", " ", "a photo of a cat", "A PHOTO OF A CAT", "a  photo\tof\n\na   cat ", "  leading and trailing  ",
    "it's don't we'll they're I've you'd he'm", "IT'S DON'T WE'LL", "cat's cats' 's 't 're 've 'm 'll 'd 'x",
    "2 cats and 10 dogs in 1990s", "1234567890", "3.14159 x 10^-3 = ?", "1st 2nd 3rd", "½ ¾ ² ³ Ⅷ ① ٣ ३ 五",
    "hello, world!", "wow!!! !wow ! !!", "(masterpiece:1.2), [best quality], {sharp focus}", "a_photo_of_a_cat __init__",
    "snake_case-kebab-case/and\\slash", "email@example.com http://example.com/?q=1&r=2#x", "100% $5 €7 £9 #tag @user",
    "café naïve crème brûlée garçon", "CAFÉ NAÏVE ÜBER STRASSE", "straße ẞ ß SS", "cafe\u0301 vs café",
    "A\u030angstro\u0308m Å", "İstanbul I ı i", "ΑΒΓ Σίσυφος ΣΊΣΥΦΟΣ", "москва КОТ кот", "日本の写真 猫", "东京的猫", "한국 한국",
    "ภาพแมว", "تصویر گربه", "צילום של חתול", "फ़ोटो बिल्ली", "カタカナ ひらがな ﾊﾝｶｸ", "ｆｕｌｌｗｉｄｔｈ １２３ ！", "😀 🎨 a cat 😀😀",
    "👨‍👩‍👧‍👦 family 👍🏽", "🇯🇵🇫🇷 flags", "zero\u200bwidth\u200cjoin\u200der",
    "nb\u00a0space em\u2003space ideographic\u3000space", "line\u2028sep para\u2029sep next\u0085line",
    "bell\u0007 null\u0000 esc\u001b[0m del\u007f", "fs\u001cgs\u001drs\u001eus\u001f", "vt\u000bff\u000ccr\r\nlf",
    "\ufeffbom at the start", "soft\u00adhyphen", "rtl \u202eoverride\u202c", "private \ue000 use \U000f0000",
    "replacement \ufffd character", "tag \U000e0041", "<|startoftext|> a cat <|endoftext|>",
    "<|STARTOFTEXT|> A CAT <|ENDOFTEXT|>", "a<|endoftext|>b", "<|endoftext|><|endoftext|>", "<|startoftext|",
    "< |endoftext| >", "<|pad|>", "a cat<|startoftext|>!", "</w> cat</w>", "<b>bold</b> &amp; <i>italics</i>",
    "…ellipsis… “quotes” ‘single’ \u2014 dash \u2013 en", "don’t it’s", "a.b.c. U.S.A. e.g. i.e.", "a...b....c", "'" * 5, '"' * 3,
    "``code``", "---", "___", "~!@#$%^&*()_+`-={}|[]\\:\";'<>?,./", "C++ C# F# .NET", "x² + y² = z²", "∑∫√∞≠≤",
    "→ ⇒ ↔", "♥ ★ ☃ ♫", "™ ® ©", "Ǆ ǅ ǆ ﬁ ﬂ ﬀ", "ℌ ℵ Å K", "ñ n\u0303 Ñ", "q\u0307\u0323 q\u0323\u0307",
    "e\u0301\u0301\u0301 zalgo\u0336\u0337", "supercalifragilisticexpialidocious", "antidisestablishmentarianism isometric",
    "a" * 33, "xyzzy qwrtp", "photophotophoto catdog dogcat", "theandofaninon", "portrait,landscape;city:street",
    "masterpiece.best.quality", "8k uhd 4K HDR 35mm f/1.4", "(((very))) ((detailed)) (eyes)", "<lora:style:0.8> trigger",
    "a cat AND a dog BREAK a bird", "--ar 16:9 --v 5", "Steps: 20, CFG: 7",
    "a <cat-toy>, <CAT-TOY>!", "a<cat-toy>b <cat-toy><cat-toy>",
    "an oil painting of a small old house beside a river at sunset, cinematic lighting, film grain, highly detailed",
    "word " * 30, "a photo of a cat, " * 12, "cat " * 74 + "dog", "cat " * 75 + "dog", "cat " * 76 + "dog", "cat " * 150,
    "😀" * 60, "trending on artstation, octane render, unreal engine 5, bokeh, depth of field, studio lighting " * 4,
]


def tokenizer():
    """A small vocabulary in the order of CLIP's, and what CLIPTokenizer makes of the prompts from the very files."""
    from transformers import CLIPTokenizer

    # OpenAI's order: printable bytes first, so that "!" has the id 0.
    order = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    order += [b for b in range(256) if b not in order]
    letter = {b: chr(b) if i < 188 else chr(256 + i - 188) for i, b in enumerate(order)}
    tokens = [letter[b] for b in order] + [letter[b] + "</w>" for b in order]
    words = []
    for word in (part for w in WORDS for part in re.findall("'[a-z]+|[^']+", w)):
        symbols = [letter[b] for b in word.encode()]
        words.append([*symbols[:-1], symbols[-1] + "</w>"])
    # Byte pair encoding: the most frequent pair becomes a token, among equals the first in the alphabet.
    merges = []
    while len(merges) < 300:
        counts = Counter(pair for w in words for pair in zip(w, w[1:]))
        pair = min(counts, key=lambda p: (-counts[p], p))
        merges.append(" ".join(pair))
        if "".join(pair) not in tokens:
            tokens.append("".join(pair))
        for word in words:
            at = 0
            while at + 1 < len(word):
                if (word[at], word[at + 1]) == pair:
                    word[at:at + 2] = ["".join(pair)]
                at += 1
    tokens += ["<|startoftext|>", "<|endoftext|>"]
    vocab = {t: i for i, t in enumerate(tokens)}

    def written(folder, files):
        folder = os.path.join(DATA, folder)
        os.makedirs(folder, exist_ok=True)
        for name, content in files.items():
            with open(os.path.join(folder, name), "w") as file:
                if isinstance(content, str):
                    file.write(content)
                else:
                    json.dump(content, file, ensure_ascii=False, separators=(",", ":"))
                    file.write("\n")
        return folder

    def marks(normalized, **others):
        flags = {"lstrip": False, "normalized": normalized, "rstrip": False, "single_word": False}
        return {k: {"content": t, **flags, **others} if normalized else t for k, t in
                (("bos_token", "<|startoftext|>"), ("eos_token", "<|endoftext|>"), ("unk_token", "<|endoftext|>"))}

    files = {"vocab.json": vocab, "merges.txt": "#version: 0.2\n" + "\n".join(merges) + "\n"}
    config = {"add_prefix_space": False, "do_lower_case": True, "model_max_length": 77, "tokenizer_class": "CLIPTokenizer"}
    # As Stable Diffusion 1.5 writes them; as SDXL's second tokenizer and 2.1 do; as one file.
    folders = [
        written("tokenizer", {
            **files,
            "tokenizer_config.json": {**config, **marks(True, __type="AddedToken"), "pad_token": "<|endoftext|>"},
            "special_tokens_map.json": {**marks(True), "pad_token": "<|endoftext|>"},
            "added_tokens.json": {"<cat-toy>": len(vocab)},
        }),
        written("tokenizer_2", {
            **files,
            "tokenizer_config.json": {**config, **marks(False), "pad_token": "!", "added_tokens_decoder": {
                str(vocab[t]): {"content": t, "lstrip": False, "normalized": t == "<|startoftext|>", "rstrip": False,
                                "single_word": False, "special": True}
                for t in ("!", "<|startoftext|>", "<|endoftext|>")}},
            "special_tokens_map.json": {**marks(True), "pad_token": "!"},
        }),
    ]
    saved = CLIPTokenizer.from_pretrained(folders[0]).backend_tokenizer
    saved.no_padding()
    saved.no_truncation()
    with open(os.path.join(folders[0], "tokenizer_config.json")) as file:
        whole = {"tokenizer_config.json": json.load(file), "tokenizer.json": json.loads(saved.to_str())}
    folders.append(written("tokenizer_whole", whole))
    expected = {"prompts": PROMPTS}
    for folder in folders:
        clip = CLIPTokenizer.from_pretrained(folder)
        expected[os.path.basename(folder)] = {
            "pad": clip.pad_token_id,
            "ids": [clip(p, add_special_tokens=False)["input_ids"] for p in PROMPTS],
            # As the pipelines of diffusers call it.
            "cut": [clip(p, padding="max_length", max_length=77, truncation=True)["input_ids"] for p in PROMPTS[:60:9]],
        }
    with open(os.path.join(DATA, "tokenizer.json"), "w") as file:
        json.dump(expected, file, separators=(",", ":"))
        file.write("\n")


PARTS = {"schedulers": schedulers, "text": text, "tokenizer": tokenizer}

if __name__ == "__main__":
    os.makedirs(DATA, exist_ok=True)
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
