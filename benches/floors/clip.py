"""The floor for encoding pictures: a ViT-L/14 of random weights in PyTorch, on the same cores.

clip.py [PICTURES]; prints pictures a second, the best of three passes.
"""

import sys
import time

import torch
from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection

n = int(sys.argv[1]) if len(sys.argv) > 1 else 8
config = CLIPVisionConfig(hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16,
                          image_size=224, patch_size=14, projection_dim=768)
model = CLIPVisionModelWithProjection(config).eval()
pixels = torch.randn(n, 3, 224, 224)
best = 0.0
with torch.inference_mode():
    model(pixel_values=pixels[:1])
    for _ in range(3):
        began = time.perf_counter()
        model(pixel_values=pixels)
        best = max(best, n / (time.perf_counter() - began))
print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads, {n} pictures: {best:.2f} a second")
