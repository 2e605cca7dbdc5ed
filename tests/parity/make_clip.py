"""Writes the fixtures of clip.rs, siglip.rs, preprocess.rs and similarity.rs into data/clip/:
python make_clip.py [clip|siglip|safety|pictures|numbers]

Tiny random CLIPs, a SigLIP and a safety checker with what transformers and diffusers make of pictures and texts; the
pixels that transformers' processors with the Pillow backend make; nearest neighbours and MMD by numpy. Pictures are
computed by `pattern` here and in support.rs alike, so that large ones need no files. Written with torch 2.15,
transformers 5.23, diffusers 0.42.1, numpy 2.4 and Pillow 12: from 13.0 on Pillow resizes some pictures down before across, which gives
other bytes (pull request 9549).
"""

import hashlib
import json
import os
import sys

import numpy as np
import PIL
import torch
from PIL import Image
from safetensors.torch import save_file

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
DATA = os.path.join(HERE, "clip")
SIZES = [(64, 48), (33, 90), (32, 32), (101, 57), (40, 31)]
TEXTS = ["a photo of a cat", "", "two dogs running beside the river at sunset, cinematic light",
         "a photo of a cat", "an oil painting " * 70, "mountain " * 75, "the city at night!",
         "a <cat-toy> by the river"]


def pattern(width, height):
    """Slopes, noise and checks in blocks of 16 pixels."""
    y, x, c = np.indices((height, width, 3), dtype=np.uint32)
    slope = (x * 3 + y * 5 + c * 40) & 255
    noise = ((x * np.uint32(73856093)) ^ (y * np.uint32(19349663)) ^ (c * np.uint32(83492791))) >> 13 & 255
    checks = ((x ^ y) & 1) * 255
    block = (x // 16 + y // 16 + c // 2) % 3
    return np.where(block == 0, slope, np.where(block == 1, noise, checks)).astype(np.uint8)


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(content if isinstance(content, str) else json.dumps(content, indent=1) + "\n")


def randomise(model, seed):
    """Weights of a size at which nonlinearities and norms matter."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for key, value in model.named_parameters():
            if "logit" in key or "weights" in key:
                continue
            noise = torch.randn(value.shape, generator=generator)
            norm = "norm" in key and key.endswith("weight")
            value.copy_(noise * (0.4 if "fc1" in key else 0.2) + (1.0 if norm else 0.0))
    return model.eval()


def clip():
    from transformers import CLIPConfig, CLIPModel, CLIPTokenizer
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = CLIPTokenizer.from_pretrained(os.path.join(HERE, "tokenizer"))
    vocabulary, eos = len(tokenizer), tokenizer.eos_token_id
    # Activations of text and picture, eps of both, the id of the end mark in the configuration.
    kinds = {
        "openai": ("quick_gelu", "quick_gelu", 1e-5, 1e-5, 2),
        "laion": ("gelu", "gelu", 1e-5, 1e-5, eos),
        "mixed": ("gelu", "quick_gelu", 1e-3, 1e-2, eos),
    }
    for seed, (name, (text_act, vision_act, text_eps, vision_eps, end)) in enumerate(kinds.items()):
        text = dict(vocab_size=vocabulary, hidden_size=24, intermediate_size=40, num_hidden_layers=2,
                    num_attention_heads=3, max_position_embeddings=77, hidden_act=text_act, layer_norm_eps=text_eps,
                    eos_token_id=end, bos_token_id=tokenizer.bos_token_id, pad_token_id=1)
        vision = dict(hidden_size=32, intermediate_size=56, num_hidden_layers=2, num_attention_heads=4, image_size=32,
                      patch_size=8, hidden_act=vision_act, layer_norm_eps=vision_eps)
        config = CLIPConfig(text_config=text, vision_config=vision, projection_dim=20)
        model = randomise(CLIPModel(config), seed)
        with torch.no_grad():
            model.logit_scale.fill_(4.0 + seed * 0.3)
        processor = CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size=32)
        folder = os.path.join(DATA, name)
        model.save_pretrained(folder, max_shard_size="60KB" if name == "laion" else "1GB")
        processor.save_pretrained(folder)
        if name == "openai":
            # As the files of 2021 write it.
            old = {"crop_size": 32, "do_center_crop": True, "do_normalize": True, "do_resize": True, "resample": 3,
                   "feature_extractor_type": "CLIPFeatureExtractor", "size": 32,
                   "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
            write(os.path.join(folder, "preprocessor_config.json"), old)
        images = [Image.fromarray(pattern(*size)) for size in SIZES]
        pixels = processor(images=images, return_tensors="pt")["pixel_values"]
        parts, embeds = [], []
        with torch.no_grad():
            for t in TEXTS:
                ids = tokenizer(t, add_special_tokens=False)["input_ids"]
                chunks = [ids[i:i + 75] for i in range(0, max(len(ids), 1), 75)]
                rows = [[tokenizer.bos_token_id, *c, eos] + [tokenizer.pad_token_id] * (75 - len(c)) for c in chunks]
                out = model(input_ids=torch.tensor(rows), pixel_values=pixels)
                mean = out.text_embeds.mean(0)
                parts.append(len(rows))
                embeds.append(mean / mean.norm())
        expected = {"image": out.image_embeds, "text": torch.stack(embeds), "parts": torch.tensor(parts),
                    "pixels": pixels, "cosine": out.image_embeds @ torch.stack(embeds).T,
                    "scale": model.logit_scale.exp().reshape(1)}
        save_file({k: v.contiguous() for k, v in expected.items()}, os.path.join(DATA, f"{name}_expected.safetensors"))


def siglip():
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, SiglipConfig, SiglipModel
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    # The pieces that the published tokenizer.json has.
    backend = Tokenizer(models.Unigram())
    backend.normalizer = normalizers.Sequence([
        normalizers.Lowercase(),
        normalizers.Replace(Regex(r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"""), ""),
        normalizers.Replace(Regex(r"\s+"), " "),
        normalizers.Strip(),
        normalizers.NFKC(),
    ])
    backend.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    backend.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    with open(os.path.join(HERE, "tokenizer.json")) as file:
        prompts = json.load(file)["prompts"]
    backend.train_from_iterator(prompts + TEXTS, trainers.UnigramTrainer(
        vocab_size=400, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False))
    backend.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    folder = os.path.join(DATA, "siglip")
    os.makedirs(folder, exist_ok=True)
    backend.save(os.path.join(folder, "tokenizer.json"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=os.path.join(folder, "tokenizer.json"), pad_token="</s>",
                                        eos_token="</s>", unk_token="<unk>", model_max_length=64)
    write(os.path.join(folder, "tokenizer_config.json"), {
        "added_tokens_decoder": {"1": {"content": "</s>", "lstrip": True, "normalized": False, "rstrip": True,
                                       "single_word": False, "special": True}},
        "eos_token": "</s>", "model_max_length": 64, "pad_token": "</s>", "tokenizer_class": "SiglipTokenizer",
        "unk_token": "<unk>"})
    text = dict(vocab_size=backend.get_vocab_size(), hidden_size=32, intermediate_size=48, num_hidden_layers=2,
                num_attention_heads=4, max_position_embeddings=64, projection_size=32)
    vision = dict(hidden_size=32, intermediate_size=56, num_hidden_layers=2, num_attention_heads=4, image_size=32,
                  patch_size=8)
    model = randomise(SiglipModel(SiglipConfig(text_config=text, vision_config=vision)), 7)
    with torch.no_grad():
        model.logit_scale.fill_(4.7)
        model.logit_bias.fill_(-12.9)
    processor = SiglipImageProcessorPil(size={"height": 32, "width": 32})
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    images = [Image.fromarray(pattern(*size)) for size in SIZES]
    pixels = processor(images=images, return_tensors="pt")["pixel_values"]
    embeds, parts = [], []
    with torch.no_grad():
        for t in TEXTS:
            ids = tokenizer(t, add_special_tokens=False)["input_ids"]
            chunks = [ids[i:i + 63] for i in range(0, max(len(ids), 1), 63)]
            rows = [c + [1] * (64 - len(c)) for c in chunks]
            if len(rows) == 1:
                padded = tokenizer(t, padding="max_length", max_length=64, truncation=True)["input_ids"]
                assert rows[0] == padded, (rows, padded)
            out = model(input_ids=torch.tensor(rows), pixel_values=pixels)
            mean = out.text_embeds.mean(0)
            embeds.append(mean / mean.norm())
            parts.append(len(rows))
    short = tokenizer(TEXTS[0], padding="max_length", max_length=64)["input_ids"]
    with torch.no_grad():
        out = model(input_ids=torch.tensor([short]), pixel_values=pixels)
    expected = {"image": out.image_embeds, "text": torch.stack(embeds), "parts": torch.tensor(parts), "pixels": pixels,
                "cosine": out.image_embeds @ torch.stack(embeds).T, "logits": out.logits_per_image}
    save_file({k: v.contiguous() for k, v in expected.items()}, os.path.join(DATA, "siglip_expected.safetensors"))
    write(os.path.join(DATA, "siglip_ids.json"), {
        "prompts": prompts, "ids": [tokenizer(p, add_special_tokens=False)["input_ids"] for p in prompts]})


def safety():
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker, cosine_distance
    from transformers import CLIPConfig
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    vision = dict(hidden_size=32, intermediate_size=56, num_hidden_layers=2, num_attention_heads=4, image_size=32,
                  patch_size=8, hidden_act="quick_gelu")
    model = randomise(StableDiffusionSafetyChecker(CLIPConfig(vision_config=vision, projection_dim=24)), 11)
    processor = CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size=32)
    images = [Image.fromarray(pattern(*size)) for size in SIZES]
    pixels = processor(images=images, return_tensors="pt")["pixel_values"]
    with torch.no_grad():
        embeds = model.visual_projection(model.vision_model(pixels)[1])
        special = cosine_distance(embeds, model.special_care_embeds)
        concepts = cosine_distance(embeds, model.concept_embeds)
        # Thresholds among the scores: one picture is flagged by a concept, another only because a special care concept
        # lowers a threshold, and one score lies half a thousandth over its threshold, which rounding makes 0.
        careful = int(special[:, 1].argmax())
        model.concept_embeds[2] = embeds[careful]
        model.concept_embeds[4] = embeds[(careful + 1) % len(images)]
        concepts = cosine_distance(embeds, model.concept_embeds)
        model.special_care_embeds_weights.copy_(special.max(0).values + 0.05)
        model.special_care_embeds_weights[1] = special[:, 1].max() - 0.02
        model.concept_embeds_weights.copy_(concepts.max(0).values + 0.02)
        model.concept_embeds_weights[2] = concepts[:, 2].max() + 0.006
        model.concept_embeds_weights[4] = concepts[:, 4].max() - 0.013
        uncaring = [i for i in range(len(images)) if i != careful]
        model.concept_embeds_weights[9] = concepts[uncaring, 9].max() - 0.0004
        model.concept_embeds_weights[9] = max(model.concept_embeds_weights[9], concepts[careful, 9] + 0.02)
    folder = os.path.join(DATA, "safety_checker")
    model.save_pretrained(folder)
    processor.save_pretrained(os.path.join(DATA, "feature_extractor"))
    _, flagged = model(pixels, [np.ones((2, 2, 3)) for _ in images])
    # The scores of the loop in diffusers' forward, which it does not give back.
    rows = []
    with torch.no_grad():
        special = cosine_distance(embeds, model.special_care_embeds).numpy()
        concepts = cosine_distance(embeds, model.concept_embeds).numpy()
    for i in range(len(images)):
        adjustment, row = 0.0, {"special": [], "concepts": []}
        for k, cos in enumerate(special[i]):
            row["special"].append(float(round(cos - model.special_care_embeds_weights[k].item() + adjustment, 3)))
            if row["special"][-1] > 0:
                adjustment = 0.01
        for k, cos in enumerate(concepts[i]):
            row["concepts"].append(float(round(cos - model.concept_embeds_weights[k].item() + adjustment, 3)))
        row["flagged"] = any(s > 0 for s in row["concepts"])
        rows.append(row)
    assert [r["flagged"] for r in rows] == [bool(f) for f in flagged]
    print("flagged", flagged, careful, "special", [max(r["special"]) for r in rows])
    write(os.path.join(DATA, "safety_expected.json"), rows)


def pictures():
    """What processors make of pictures of odd sizes, as hashes of bytes."""
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    def sha(array):
        return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()

    processors = {
        "clip224": CLIPImageProcessorPil(),
        "siglip224": SiglipImageProcessorPil(),
        "bilinear": CLIPImageProcessorPil(size={"shortest_edge": 60}, crop_size={"height": 45, "width": 51}, resample=2),
        "lanczos": CLIPImageProcessorPil(size={"height": 97, "width": 131}, do_center_crop=False, resample=1,
                                         do_normalize=False),
        # A cut larger than the picture: black around it.
        "beyond": CLIPImageProcessorPil(size={"shortest_edge": 30}, crop_size={"height": 41, "width": 52}),
    }
    sizes = [(224, 224), (225, 224), (224, 300), (37, 53), (1, 1), (1, 60), (97, 2), (449, 448), (641, 479), (1024, 1024),
             (1920, 1080), (223, 1013), (1000, 333), (512, 512), (336, 224), (101, 101), (13, 700), (255, 257), (60, 61),
             (800, 600)]
    rows = []
    for name, processor in processors.items():
        processor.save_pretrained(os.path.join(DATA, "processors", name))
        for width, height in sizes:
            image = Image.fromarray(pattern(width, height))
            cut = processor(images=[image], return_tensors="np", do_rescale=False, do_normalize=False)["pixel_values"][0]
            planes = processor(images=[image], return_tensors="np")["pixel_values"][0]
            assert planes.dtype == np.float32
            rows.append({"processor": name, "size": [width, height], "cut": sha(cut.transpose(1, 2, 0).astype(np.uint8)),
                         "planes": sha(planes)})
    modes = []
    base = pattern(37, 29)
    palette = Image.fromarray(base).quantize(40)
    transparent = palette.copy()
    transparent.info["transparency"] = bytes(range(0, 240, 6))
    alpha = Image.fromarray(base[..., 1])
    made = {"rgb": Image.fromarray(base), "l": Image.fromarray(base[..., 0]), "p": palette, "p_transparent": transparent,
            "la": Image.merge("LA", [Image.fromarray(base[..., 2]), alpha]),
            "rgba": Image.merge("RGBA", [*Image.fromarray(base).split(), alpha]),
            "one": Image.fromarray(base[..., 0]).convert("1")}
    for name, image in made.items():
        path = os.path.join(DATA, "modes", f"{name}.png")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        image.save(path)
        modes.append({"file": f"{name}.png", "mode": Image.open(path).mode,
                      "rgb": sha(np.asarray(Image.open(path).convert("RGB")))})
    write(os.path.join(DATA, "pictures.json"), {"cuts": rows, "modes": modes})


def numbers():
    """Nearest neighbours and kernel MMD by numpy, in f64."""
    rng = np.random.default_rng(5)

    def unit(n, d=24):
        rows = rng.standard_normal((n, d)) + 0.8 * rng.standard_normal((1, d))
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)

    a, b = unit(157), unit(83)
    a[20], a[140] = a[3], a[3]
    cosines = a.astype(np.float64) @ b.astype(np.float64).T
    own = a.astype(np.float64) @ a.astype(np.float64).T
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :5]

    def kernel(x, y, gamma):
        return np.exp(-gamma * ((x[:, None] - y[None]) ** 2).sum(-1))

    x, y = a[:90].astype(np.float64), b[:70].astype(np.float64)
    both = np.concatenate([x, y])
    distances = ((both[:, None] - both[None]) ** 2).sum(-1)
    sigma = float(np.sqrt(np.median(distances[np.triu_indices(len(both), 1)])))
    gamma = 1 / (2 * sigma**2)
    xx, yy, xy = kernel(x, x, gamma), kernel(y, y, gamma), kernel(x, y, gamma)
    m, n = len(x), len(y)
    unbiased = (xx.sum() - np.trace(xx)) / (m * (m - 1)) + (yy.sum() - np.trace(yy)) / (n * (n - 1)) - 2 * xy.mean()
    biased = xx.mean() + yy.mean() - 2 * xy.mean()
    save_file({"a": torch.from_numpy(a), "b": torch.from_numpy(b), "nearest": torch.from_numpy(order.copy()),
               "cosines": torch.from_numpy(np.take_along_axis(cosines, order, 1).copy()), "own": torch.from_numpy(own)},
              os.path.join(DATA, "numbers.safetensors"))
    write(os.path.join(DATA, "numbers.json"), {"sigma": sigma, "unbiased": float(unbiased), "biased": float(biased)})


PARTS = {"clip": clip, "siglip": siglip, "safety": safety, "pictures": pictures, "numbers": numbers}

if __name__ == "__main__":
    assert int(PIL.__version__.split(".")[0]) < 13, "Pillow 12 is wanted: see above"
    os.makedirs(DATA, exist_ok=True)
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
