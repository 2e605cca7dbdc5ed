#!/usr/bin/env python3
"""Writes the fixtures of tests/parity for schedulers, text encoders and tokenizers into tests/parity/data.

    pip install torch diffusers==0.42 transformers==5.23 safetensors
    python tests/parity/make_text.py [schedulers] [text] [tokenizer]

Everything is made from fixed seeds: the models are tiny and random, the vocabulary is made from the word list below.
Without a name all three are written.
"""

import json
import math
import os
import sys

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


PARTS = {"schedulers": schedulers, "text": text}

if __name__ == "__main__":
    os.makedirs(DATA, exist_ok=True)
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
