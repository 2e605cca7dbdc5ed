"""Writes the fixtures of tests/parity/models.rs and pictures.rs: tiny Stable Diffusion models with random weights, and
what diffusers and transformers compute with them on the CPU.

    python tests/parity/make_models.py

Deterministic: every number comes from a seed. Weights are stored as f16 and the references are computed in f32 from the
stored values, so both sides start from the same numbers. Made with torch 2.15, diffusers 0.42.1, transformers 5.23.

models/sd, models/sdxl   whole model folders in diffusers layout (SD 1.5-like and SDXL-like)
models/unet_v2           U-Net like SD 2.1's: linear projections, heads as a list; sharded
models/unet_inpaint      9-channel U-Net, 8 groups; stored as an fp16 variant
models/unets.safetensors, vaes.safetensors     inputs and outputs of the networks alone
models/pictures.safetensors                    final latents and pixels of the pipelines
"""

import json
import os
import shutil
import warnings

import numpy as np
import torch
from PIL import Image
from safetensors.torch import save_file

import diffusers
from diffusers import (
    AutoencoderKL,
    DDIMScheduler,
    DPMSolverMultistepScheduler,
    EulerAncestralDiscreteScheduler,
    EulerDiscreteScheduler,
    PNDMScheduler,
    StableDiffusionImg2ImgPipeline,
    StableDiffusionInpaintPipeline,
    StableDiffusionPipeline,
    StableDiffusionXLImg2ImgPipeline,
    StableDiffusionXLInpaintPipeline,
    StableDiffusionXLPipeline,
    UNet2DConditionModel,
)
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer

warnings.filterwarnings("ignore")
diffusers.utils.logging.set_verbosity_error()
diffusers.utils.logging.disable_progress_bar()
torch.set_grad_enabled(False)
torch.set_num_threads(2)
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "models")
SIDE = 64  # pixels


def gen(seed):
    return torch.Generator("cpu").manual_seed(seed)


def randn(seed, *shape):
    return torch.randn(shape, generator=gen(seed))


def fill(model, seed, gain=1.0):
    """Random weights that keep numbers near 1, rounded to f16."""
    g = gen(seed)
    for name, p in model.named_parameters():
        noise = torch.randn(p.shape, generator=g)
        if p.ndim == 1:
            base = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            p.data = base + 0.1 * noise
        else:
            fan = p[0].numel()
            p.data = noise * (gain / fan**0.5 if "embedding" not in name or p.ndim > 2 else 0.3)
        p.data = p.data.half().float()
    return model.eval()


# ---- a tokenizer of 600 entries: bytes, and merges of a few words


def tokenizer(folder, pad):
    chars = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    table, extra = {}, 0
    for b in range(256):
        if b in chars:
            table[b] = chr(b)
        else:
            table[b] = chr(256 + extra)
            extra += 1
    vocab = list(table.values()) + [c + "</w>" for c in table.values()]
    merges = []
    words = "a photo of the red cat dog house on grass blurry bad watercolor style tree and"
    for word in words.split():
        parts = list(word[:-1]) + [word[-1] + "</w>"]
        while len(parts) > 1:
            pair = (parts[0], parts[1])
            if pair not in merges:
                merges.append(pair)
            parts = [parts[0] + parts[1]] + parts[2:]
    vocab += [a + b for a, b in merges]
    vocab = list(dict.fromkeys(vocab)) + ["<|startoftext|>", "<|endoftext|>"]
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/vocab.json", "w") as f:
        json.dump({token: i for i, token in enumerate(vocab)}, f, ensure_ascii=False)
    with open(f"{folder}/merges.txt", "w") as f:
        f.write("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merges))
    special = {"bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>", "pad_token": pad}
    with open(f"{folder}/special_tokens_map.json", "w") as f:
        json.dump(special, f)
    with open(f"{folder}/tokenizer_config.json", "w") as f:
        json.dump(special | {"tokenizer_class": "CLIPTokenizer", "model_max_length": 77, "do_lower_case": True}, f)
    return CLIPTokenizer.from_pretrained(folder), len(vocab)


def text_config(vocab, width, act, projection, layers=2):
    # eos_token_id 2 is what the published configurations say; pooling is then at the highest id.
    return CLIPTextConfig(
        vocab_size=vocab, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=layers,
        num_attention_heads=4, max_position_embeddings=77, hidden_act=act, projection_dim=projection,
        bos_token_id=0, eos_token_id=2, pad_token_id=1,
    )  # fmt: skip


# ---- networks

D, CD, U, CU = "DownBlock2D", "CrossAttnDownBlock2D", "UpBlock2D", "CrossAttnUpBlock2D"
UNETS = {
    "sd": dict(
        down_block_types=(CD, D), up_block_types=(U, CU), block_out_channels=(32, 32), layers_per_block=1,
        cross_attention_dim=32, attention_head_dim=4, norm_num_groups=32, sample_size=8,
    ),
    "unet_v2": dict(
        down_block_types=(CD, CD, D), up_block_types=(U, CU, CU), block_out_channels=(16, 32, 32), layers_per_block=1,
        cross_attention_dim=24, attention_head_dim=(2, 4, 8), norm_num_groups=16, sample_size=8,
        use_linear_projection=True, upcast_attention=True,
    ),
    "unet_inpaint": dict(
        in_channels=9, down_block_types=(CD, D), up_block_types=(U, CU), block_out_channels=(16, 32), layers_per_block=1,
        cross_attention_dim=32, attention_head_dim=2, norm_num_groups=8, sample_size=8,
    ),
    "sdxl": dict(
        down_block_types=(D, CD, CD), up_block_types=(CU, CU, U), block_out_channels=(16, 32, 32), layers_per_block=2,
        cross_attention_dim=40, attention_head_dim=(2, 4, 8), transformer_layers_per_block=(1, 1, 2), norm_num_groups=8,
        sample_size=8, use_linear_projection=True, addition_embed_type="text_time", addition_time_embed_dim=8,
        projection_class_embeddings_input_dim=20 + 6 * 8,
    ),
}  # fmt: skip


def vae(seed, **kw):
    sizes = dict(
        down_block_types=("DownEncoderBlock2D",) * 4, up_block_types=("UpDecoderBlock2D",) * 4,
        block_out_channels=(16, 16, 32, 32), layers_per_block=1, latent_channels=4, norm_num_groups=8, sample_size=SIDE,
    )  # fmt: skip
    model = fill(AutoencoderKL(**(sizes | kw)), seed, 0.7)
    # Pictures that use their range and seldom leave it.
    model.decoder.conv_out.weight.data = (model.decoder.conv_out.weight.data * 0.5).half().float()
    return model


def write_sd(folder):
    tok, vocab = tokenizer(f"{folder}/tokenizer", "<|endoftext|>")
    pipe = StableDiffusionPipeline(
        vae=vae(11, scaling_factor=0.18215, block_out_channels=(16, 16, 16, 16)),
        text_encoder=fill(CLIPTextModel(text_config(vocab, 32, "quick_gelu", 32)), 12),
        tokenizer=tok,
        unet=fill(UNet2DConditionModel(**UNETS["sd"]), 13),
        scheduler=PNDMScheduler(
            beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1, skip_prk_steps=True, set_alpha_to_one=False
        ),
        safety_checker=None, feature_extractor=None, requires_safety_checker=False,
    )  # fmt: skip
    pipe.to(torch.float16).save_pretrained(folder)
    tokenizer(f"{folder}/tokenizer", "<|endoftext|>")


def write_sdxl(folder):
    tok, vocab = tokenizer(f"{folder}/tokenizer", "<|endoftext|>")
    tok2, _ = tokenizer(f"{folder}/tokenizer_2", "!")
    pipe = StableDiffusionXLPipeline(
        vae=vae(21, scaling_factor=0.13025, force_upcast=True),
        text_encoder=fill(CLIPTextModel(text_config(vocab, 16, "quick_gelu", 16)), 22),
        text_encoder_2=fill(CLIPTextModelWithProjection(text_config(vocab, 24, "gelu", 20)), 23),
        tokenizer=tok, tokenizer_2=tok2,
        unet=fill(UNet2DConditionModel(**UNETS["sdxl"]), 24),
        scheduler=EulerDiscreteScheduler(
            beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", timestep_spacing="leading", steps_offset=1
        ),
        force_zeros_for_empty_prompt=True, add_watermarker=False,
    )  # fmt: skip
    pipe.to(torch.float16).save_pretrained(folder)
    for name, pad in [("tokenizer", "<|endoftext|>"), ("tokenizer_2", "!")]:
        tokenizer(f"{folder}/{name}", pad)


def no_clipping(folder):
    """The published files say so; DDIM's default is to clip."""
    path = f"{folder}/scheduler/scheduler_config.json"
    with open(path) as f:
        config = json.load(f)
    with open(path, "w") as f:
        json.dump(config | {"clip_sample": False}, f, indent=2)


def unets(io):
    for seed, name in enumerate(UNETS):
        path = f"{OUT}/{name}/unet" if name in ("sd", "sdxl") else f"{OUT}/{name}"
        kw = dict(variant="fp16") if name == "unet_inpaint" else {}
        model = UNet2DConditionModel.from_pretrained(path, torch_dtype=torch.float32, **kw).eval()
        cfg = UNETS[name]
        x = randn(100 + seed, 2, cfg.get("in_channels", 4), 8, 8)
        text = randn(200 + seed, 2, 7, cfg["cross_attention_dim"])
        io[f"{name}.x"], io[f"{name}.text"] = x, text
        added = {}
        if cfg.get("addition_embed_type"):
            pooled = randn(300 + seed, 2, 20)
            sizes = torch.tensor([[1024, 1024, 0, 0, 1024, 1024], [512, 768, 16, 0, 640, 768]], dtype=torch.float32)
            io[f"{name}.pooled"], io[f"{name}.sizes"] = pooled, sizes
            added = dict(added_cond_kwargs=dict(text_embeds=pooled, time_ids=sizes))
        for t in (1, 501, 981):
            io[f"{name}.y{t}"] = model(x, t, text, **added).sample
        print(name, "rms", [round(io[f"{name}.y{t}"].square().mean().sqrt().item(), 3) for t in (1, 501, 981)])
    # A side that does not halve evenly.
    model = UNet2DConditionModel.from_pretrained(f"{OUT}/unet_v2", torch_dtype=torch.float32).eval()
    io["odd.x"] = randn(400, 1, 4, 7, 9)
    io["odd.y"] = model(io["odd.x"], 501, io["unet_v2.text"][:1]).sample


def vaes(io):
    for seed, name in enumerate(("sd", "sdxl")):
        model = AutoencoderKL.from_pretrained(f"{OUT}/{name}/vae", torch_dtype=torch.float32).eval()
        io[f"{name}.z"], io[f"{name}.image"] = randn(500 + seed, 2, 4, 4, 6), randn(600 + seed, 2, 3, 32, 48).clamp(-1, 1)
        moments = model.encode(io[f"{name}.image"]).latent_dist
        io[f"{name}.mean"], io[f"{name}.std"] = moments.mean, moments.std
        io[f"{name}.decoded"] = model.decode(io[f"{name}.z"]).sample
        print("vae", name, "decoded", io[f"{name}.decoded"].std().item(), "std", moments.std.mean().item())
    # Tiles of 64 pixels: 2 x 3 of them, the last ones smaller.
    model.enable_tiling()
    z = randn(700, 1, 4, 10, 15)
    io["tiled.z"], io["tiled.decoded"] = z, model.decode(z).sample
    image = randn(701, 1, 3, 80, 120).clamp(-1, 1)
    io["tiled.image"], io["tiled.mean"] = image, model.encode(image).latent_dist.mean


# ---- pipelines

PROMPTS = ["a photo of the red cat on grass", "watercolor house and a tree"]
NEGATIVE = ["blurry", "bad photo"]
SEEDS = [7, 123]


def pictures(io):
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    image = np.stack([x * 4, y * 4, (x + y) * 2], -1).astype(np.uint8)
    mask = np.zeros((SIDE, SIDE), np.uint8)
    mask[13:49, 20:60] = 255
    io["image"], io["mask"] = torch.from_numpy(image), torch.from_numpy(mask)
    start = dict(image=[Image.fromarray(image)] * 2)
    paint = start | dict(mask_image=[Image.fromarray(mask)] * 2)

    def run(name, pipe, scheduler, steps, guidance=5.0, negative=NEGATIVE, size=(SIDE, SIDE), **kw):
        pipe.scheduler = scheduler
        pipe.set_progress_bar_config(disable=True)
        last = {}

        def keep(_, i, t, tensors):
            last["latents"] = tensors["latents"].clone()
            return tensors

        images = pipe(
            prompt=PROMPTS, negative_prompt=negative, num_inference_steps=steps, guidance_scale=guidance,
            generator=[gen(s) for s in SEEDS], output_type="np", callback_on_step_end=keep, height=size[0], width=size[1], **kw,
        ).images  # fmt: skip
        io[f"{name}.latents"] = last["latents"]
        io[f"{name}.pixels"] = torch.from_numpy((images * 255).round().astype(np.uint8))
        print(name, "latents", last["latents"].std().item(), "pixels", images.mean(), images.std())

    def to(cls, pipe, **kw):
        made = cls(**({k: v for k, v in pipe.components.items()} | kw))
        return made

    sd = StableDiffusionPipeline.from_pretrained(f"{OUT}/sd", torch_dtype=torch.float32)
    base = sd.scheduler.config
    off = dict(requires_safety_checker=False)
    run("sd.euler", sd, EulerDiscreteScheduler.from_config(base), 5)
    run("sd.ddim", sd, DDIMScheduler.from_config(base), 4)
    run("sd.plain", sd, EulerDiscreteScheduler.from_config(base), 4, negative=None)
    # Latents of 9 x 7, whose sides do not halve evenly; and what the SD 2 models of 768 pixels predict.
    run("sd.odd", sd, EulerDiscreteScheduler.from_config(base), 3, size=(72, 56))
    run("sd.v", sd, EulerDiscreteScheduler.from_config(base, prediction_type="v_prediction"), 4)
    sub = to(StableDiffusionImg2ImgPipeline, sd, **off)
    run("sd.img2img", sub, EulerDiscreteScheduler.from_config(base), 6, strength=0.6, **{k: start[k] for k in start})
    sub = to(StableDiffusionInpaintPipeline, sd, **off)
    run("sd.inpaint4", sub, DDIMScheduler.from_config(base), 5, strength=0.8, **paint)
    run("sd.inpaint4_full", sub, EulerAncestralDiscreteScheduler.from_config(base), 4, strength=1.0, **paint)
    unet9 = UNet2DConditionModel.from_pretrained(f"{OUT}/unet_inpaint", variant="fp16", torch_dtype=torch.float32)
    sub = to(StableDiffusionInpaintPipeline, sd, unet=unet9.eval(), **off)
    run("sd.inpaint9", sub, EulerDiscreteScheduler.from_config(base), 5, strength=1.0, **paint)
    run("sd.inpaint9_part", sub, DDIMScheduler.from_config(base), 5, strength=0.7, **paint)

    xl = StableDiffusionXLPipeline.from_pretrained(f"{OUT}/sdxl", torch_dtype=torch.float32, add_watermarker=False)
    base = xl.scheduler.config
    off = dict(add_watermarker=False)
    run("sdxl.euler", xl, EulerDiscreteScheduler.from_config(base), 6)
    run("sdxl.ddim", xl, DDIMScheduler.from_config(base), 4, negative=None)
    run("sdxl.dpm", xl, DPMSolverMultistepScheduler.from_config(base), 5)
    run("sdxl.turbo", xl, EulerAncestralDiscreteScheduler.from_config(base, timestep_spacing="trailing"), 2, guidance=0.0)
    sub = to(StableDiffusionXLImg2ImgPipeline, xl, **off)
    run("sdxl.img2img", sub, EulerDiscreteScheduler.from_config(base), 6, strength=0.5, **start)
    sub = to(StableDiffusionXLInpaintPipeline, xl, **off)
    run("sdxl.inpaint4", sub, EulerDiscreteScheduler.from_config(base), 5, strength=0.8, **paint)


def save(name, io):
    save_file({k: v.contiguous().clone() for k, v in io.items()}, f"{OUT}/{name}.safetensors")


if __name__ == "__main__":
    shutil.rmtree(OUT, ignore_errors=True)
    write_sd(f"{OUT}/sd")
    write_sdxl(f"{OUT}/sdxl")
    no_clipping(f"{OUT}/sd")
    no_clipping(f"{OUT}/sdxl")
    fill(UNet2DConditionModel(**UNETS["unet_v2"]), 31).half().save_pretrained(f"{OUT}/unet_v2", max_shard_size="300KB")
    fill(UNet2DConditionModel(**UNETS["unet_inpaint"]), 32).half().save_pretrained(f"{OUT}/unet_inpaint", variant="fp16")
    for name, make in [("unets", unets), ("vaes", vaes), ("pictures", pictures)]:
        io = {}
        make(io)
        save(name, io)
