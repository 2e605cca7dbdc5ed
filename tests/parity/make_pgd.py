"""Writes data/clip/NAME_pgd.safetensors, the fixtures of pgd.rs: python make_pgd.py

Projected gradient descent (Madry et al. 2018) by PyTorch on the tiny CLIPs of make_clip.py: it lowers the cosine of a
picture and a text. Gradients pass through the resize, which is torch's own bicubic interpolation with antialiasing (it has
Pillow's coefficients), the center crop, the normalization, and transformers' CLIP. The random start is SplitMix64, as in
src/model/rng.rs.

A sign of a gradient near 0 depends on rounding, so the seed is the first at which every number of every gradient is at
least 2e-6 of the largest one, or 0. Written with torch 2.15, transformers 5.24 and numpy 2.4.
"""

import os

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import CLIPModel, CLIPTokenizer

from make_clip import DATA, HERE, pattern

EPS, ALPHA, STEPS = 8.0, 2.0, 6
MEAN = torch.tensor([0.48145466, 0.4578275, 0.40821073]).reshape(1, 3, 1, 1)
STD = torch.tensor([0.26862954, 0.26130258, 0.27577711]).reshape(1, 3, 1, 1)
SIDE = 32
# Width and height: larger than the model's input, and smaller in both directions.
CASES = {"openai": (44, 37), "laion": (23, 26)}
TEXT = "two dogs running beside the river at sunset, cinematic light"
MASK = (1 << 64) - 1


def splitmix(seed):
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def start(picture, seed):
    """`picture` plus uniform noise within EPS, drawn pixel by pixel."""
    stream = splitmix(seed)
    share = np.array([next(stream) >> 40 for _ in range(picture.size)], dtype=np.float32) / np.float32(1 << 24)
    noise = (share * np.float32(2) - np.float32(1)) * np.float32(EPS)
    return np.clip(picture.reshape(-1).astype(np.float32) + noise, 0, 255).reshape(picture.shape)


def planes(x):
    """`x` (height, width, 3; gray levels) as the model's input."""
    height, width, _ = x.shape
    to = (SIDE, SIDE * width // height) if height <= width else (SIDE * height // width, SIDE)
    x = x.permute(2, 0, 1).unsqueeze(0)
    x = torch.nn.functional.interpolate(x, size=to, mode="bicubic", antialias=True)
    top, left = (to[0] - SIDE) // 2, (to[1] - SIDE) // 2
    return (x[:, :, top:top + SIDE, left:left + SIDE] / 255 - MEAN) / STD


def attack(model, text, picture, seed):
    clean = torch.tensor(picture.astype(np.float32))
    x = torch.tensor(start(picture, seed))
    iterates, gradients, scores, margin = [x.clone()], [], [], 1.0
    for _ in range(STEPS):
        x = x.detach().requires_grad_(True)
        features = model.visual_projection(model.vision_model(planes(x)).pooler_output)[0]
        score = features @ text / features.norm()
        score.backward()
        size = x.grad.abs()
        # Pixels outside of the crop have no gradient.
        margin = min(margin, float(size[size > 0].min() / size.max()))
        gradients.append(x.grad.clone())
        scores.append(float(score.detach()))
        with torch.no_grad():
            x = x - ALPHA * x.grad.sign()
            x = torch.maximum(torch.minimum(x, clean + EPS), clean - EPS).clamp(0, 255)
        iterates.append(x.clone())
    return iterates, gradients, scores, margin


def main():
    torch.set_num_threads(2)
    tokenizer = CLIPTokenizer.from_pretrained(os.path.join(HERE, "tokenizer"))
    for name, size in CASES.items():
        model = CLIPModel.from_pretrained(os.path.join(DATA, name)).eval().requires_grad_(False)
        ids = tokenizer(TEXT, add_special_tokens=False)["input_ids"]
        row = [tokenizer.bos_token_id, *ids, tokenizer.eos_token_id]
        row += [tokenizer.pad_token_id] * (77 - len(row))
        text = model.text_projection(model.text_model(torch.tensor([row])).pooler_output)[0]
        text = text / text.norm()
        picture = pattern(*size)
        for seed in range(200):
            iterates, gradients, scores, margin = attack(model, text, picture, seed)
            if margin > 2e-6:
                break
        else:
            raise SystemExit("no seed without gradients near 0")
        print(name, "seed", seed, "margin", margin, "scores", scores)
        save_file({
            "iterates": torch.stack(iterates).contiguous(), "first": gradients[0], "last": gradients[-1],
            "scores": torch.tensor(scores), "seed": torch.tensor([seed]),
        }, os.path.join(DATA, f"{name}_pgd.safetensors"))


if __name__ == "__main__":
    main()
