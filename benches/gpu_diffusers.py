"""What `cargo bench --features cuda --bench gpu` measures, with diffusers on the same card: the same random models, sizes
and lines. Both memory layouts of eager PyTorch; `--compile` adds torch.compile (minutes of compiling first).

    pip install torch diffusers
    python benches/gpu_diffusers.py [--compile]
"""
import argparse
import json
import time
from pathlib import Path

import torch
from diffusers import AutoencoderKL, EulerDiscreteScheduler, UNet2DConditionModel

SIDE, STEPS, CALLS = 128, 50, 10


def config(name):
    return json.loads((Path(__file__).parent / "sdxl" / f"{name}.json").read_text())


def timed(call):
    for _ in range(CALLS):
        call()
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(CALLS):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - began) * 1e3 / CALLS


def condition(rows):
    text = torch.randn(rows, 77, 2048, device="cuda", dtype=torch.float16)
    sizes = torch.tensor([[1024.0, 1024, 0, 0, 1024, 1024]] * rows, device="cuda", dtype=torch.float16)
    pooled = torch.randn(rows, 1280, device="cuda", dtype=torch.float16)
    return {"encoder_hidden_states": text, "added_cond_kwargs": {"text_embeds": pooled, "time_ids": sizes}}


def pictures(unet, decode, n):
    scheduler = EulerDiscreteScheduler.from_config(config("scheduler"))
    scheduler.set_timesteps(STEPS, device="cuda")
    given = condition(2 * n)
    noise = torch.cat([torch.randn(1, 4, SIDE, SIDE, generator=torch.Generator().manual_seed(i)) for i in range(n)])
    latents = (noise.cuda() * scheduler.init_noise_sigma).half()
    for t in scheduler.timesteps:
        both = scheduler.scale_model_input(torch.cat([latents, latents]), t)
        without, conditioned = unet(both, t, **given, return_dict=False)[0].chunk(2)
        latents = scheduler.step(without + 5.0 * (conditioned - without), t, latents, return_dict=False)[0]
    for row in range(n):
        decode(latents[row : row + 1]).float().cpu()


@torch.inference_mode()
def measure(layout, compiled):
    print(f"diffusers {layout}{', torch.compile' if compiled else ''} on {torch.cuda.get_device_name()}")
    memory = torch.channels_last if layout == "channels_last" else torch.contiguous_format
    unet = UNet2DConditionModel.from_config(config("unet")).half().cuda().eval().to(memory_format=memory)
    if compiled:
        unet.forward = torch.compile(unet.forward, mode="reduce-overhead", fullgraph=True)
    for n in (1, 4):
        given, latents = condition(2 * n), torch.randn(2 * n, 4, SIDE, SIDE, device="cuda", dtype=torch.float16)
        step = timed(lambda: unet(latents, 981, **given, return_dict=False))
        print(f"{n} together: a step of the U-Net {step:.1f} ms", flush=True)
    for name, dtype in (("f16", torch.float16), ("f32", torch.float32)):
        vae = AutoencoderKL.from_config(config("vae")).to(dtype).cuda().eval().to(memory_format=memory)
        inner = torch.compile(vae.decoder, mode="reduce-overhead", fullgraph=True) if compiled else vae.decoder

        def decode(latents):
            z = (latents / vae.config.scaling_factor).to(dtype)
            return inner(vae.post_quant_conv(z.contiguous(memory_format=memory)))

        latents = torch.randn(1, 4, SIDE, SIDE, device="cuda", dtype=torch.float16)
        print(f"VAE in {name}: {timed(lambda: decode(latents)):.1f} ms", flush=True)
        for n in (1, 4):
            pictures(unet, decode, n)
            torch.cuda.synchronize()
            began = time.perf_counter()
            pictures(unet, decode, n)
            minutes = (time.perf_counter() - began) / 60
            print(f"VAE in {name}, {n} together: {n / minutes:.1f} pictures a minute", flush=True)
        del vae, inner


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", action="store_true", help="measure torch.compile too")
    wanted = parser.parse_args()
    for layout in ("contiguous", "channels_last"):
        measure(layout, False)
    if wanted.compile:
        measure("channels_last", True)
