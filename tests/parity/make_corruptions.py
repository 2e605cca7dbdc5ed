"""Writes the fixtures of src/raster/corrupt/tests.rs into data/corruptions/: python make_corruptions.py

What needs no random numbers is compared pixel by pixel: blurs by scikit-image and OpenCV, motion blur by the steps of
ImageMagick, glass blur and elastic with given offsets, JPEG by Pillow, spatter with a given layer of noise. What is random is
compared by its distribution: mean and variance on plain gray levels, and mean, variance, and spectrum of the change of a
picture, over seeds. The code follows Hendrycks and Dietterich's ImageNet-C (github.com/hendrycks/robustness), but rounds to
whole gray levels where theirs cuts off. Written with numpy 2.4, scipy 1.17, scikit-image 0.26, opencv-python-headless 5.0,
and Pillow 13.0 (libjpeg-turbo).
"""

import io
import json
import math
import os

import cv2
import numpy as np
from PIL import Image
from scipy.ndimage import affine_transform, map_coordinates
from skimage.filters import gaussian

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "corruptions")
cv2.ipp.setUseIPP(False)
LEVELS = [0, 13, 64, 128, 200, 255]
GAUSSIAN = [0.08, 0.12, 0.18, 0.26, 0.38]
SHOT = [60, 25, 12, 5, 3]
SPECKLE = [0.15, 0.2, 0.35, 0.45, 0.6]
SALT = [0.03, 0.06, 0.09, 0.17, 0.27]
BLUR = [1, 2, 3, 4, 6]
DEFOCUS = [(3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)]
MOTION = [(10, 3), (15, 5), (15, 8), (15, 12), (20, 15)]
ANGLES = [-45.0, -20.0, 0.0, 17.3, 45.0]
GLASS = [(0.7, 1, 2), (0.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2)]
ELASTIC = [(244 * 2, 244 * 0.7, 244 * 0.1), (244 * 2, 244 * 0.08, 244 * 0.2), (244 * 0.05, 244 * 0.01, 244 * 0.02),
           (244 * 0.07, 244 * 0.01, 244 * 0.02), (244 * 0.12, 244 * 0.01, 244 * 0.02)]
JPEG = [25, 18, 15, 10, 7]
SPATTER = [(0.65, 0.3, 4, 0.69, 0.6, 0), (0.65, 0.3, 3, 0.68, 0.6, 0), (0.65, 0.3, 2, 0.68, 0.5, 0),
           (0.65, 0.3, 1, 0.65, 1.5, 1), (0.67, 0.4, 1, 0.65, 1.5, 1)]


def pattern(width, height):
    """Slopes, checks, noise, and flat parts in color."""
    y, x, c = np.indices((height, width, 3), dtype=np.int64)
    slope = (x * 3 + y * 5 + c * 40) & 255
    noise = ((x * 7381 + y * 19349 + c * 8349) * 2654435761 >> 13) & 255
    checks = ((x ^ y) & 1) * 255
    flat = 60 + 70 * c
    block = (x // 16 + 2 * (y // 16)) % 4
    return np.choose(block, [slope, noise, checks, flat]).astype(np.uint8)


def photo(side):
    """Smooth shapes with edges and a little texture."""
    y, x, c = np.indices((side, side, 3), dtype=np.float64)
    smooth = 120 + 50 * np.sin(x / 17 + c) * np.cos(y / 11) + 30 * np.sin((x + 2 * y) / 29 - c)
    edges = np.where((x // 24 + y // 16) % 3 == 0, 40, 0)
    texture = 6 * np.sin(x * 2.1 + y * 1.7 + c) * np.cos(y * 2.9)
    return np.clip(smooth + edges + texture, 0, 255).astype(np.uint8)


def gray(x):
    """Gray levels of a picture of 0..1."""
    return np.rint(np.clip(x, 0, 1) * 255).astype(np.uint8)


def save(name, picture):
    Image.fromarray(picture).save(os.path.join(HERE, name), optimize=True)


def save_floats(name, *arrays):
    data = np.concatenate([np.asarray(a, dtype="<f4").ravel() for a in arrays])
    data.tofile(os.path.join(HERE, name))


def blur(x, sigma, **more):
    return gaussian(x, sigma=sigma, channel_axis=-1 if x.ndim == 3 else None, **more)


def gaussian_noise(image, s, rng):
    x = image / 255.0
    return gray(x + rng.normal(size=x.shape, scale=GAUSSIAN[s - 1]))


def shot_noise(image, s, rng):
    return gray(rng.poisson(image / 255.0 * SHOT[s - 1]) / SHOT[s - 1])


def speckle_noise(image, s, rng):
    x = image / 255.0
    return gray(x + x * rng.normal(size=x.shape, scale=SPECKLE[s - 1]))


def salt_and_pepper(image, s, rng):
    # skimage.util.random_noise(mode="s&p")
    out = image / 255.0
    flipped = rng.random(out.shape) <= SALT[s - 1]
    salted = rng.random(out.shape) <= 0.5
    out[flipped & salted] = 1
    out[flipped & ~salted] = 0
    return gray(out)


def gaussian_blur(image, s):
    return gray(blur(image / 255.0, BLUR[s - 1]))


def disk(radius, alias_blur):
    if radius <= 8:
        line, ksize = np.arange(-8, 9), (3, 3)
    else:
        line, ksize = np.arange(-radius, radius + 1), (5, 5)
    x, y = np.meshgrid(line, line)
    kernel = np.array((x**2 + y**2) <= radius**2, dtype=np.float32)
    kernel /= np.sum(kernel)
    return cv2.GaussianBlur(kernel, ksize=ksize, sigmaX=alias_blur)


def defocus_blur(image, s):
    x, kernel = image / 255.0, disk(*DEFOCUS[s - 1])
    return gray(np.stack([cv2.filter2D(np.ascontiguousarray(x[:, :, d]), -1, kernel) for d in range(3)], -1))


def motion_blur(image, s, angle):
    """MotionBlurImage of ImageMagick."""
    radius, sigma = MOTION[s - 1]
    width = 2 * radius + 1
    kernel = np.exp(-np.arange(width) ** 2 / (2 * sigma**2))
    kernel /= kernel.sum()
    down, right = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    y, x = np.indices(image.shape[:2])
    out = np.zeros(image.shape)
    for i in range(width):
        at_y = np.clip(y + math.ceil(i * down - 0.5), 0, image.shape[0] - 1)
        at_x = np.clip(x + math.ceil(i * right - 0.5), 0, image.shape[1] - 1)
        out += kernel[i] * image[at_y, at_x]
    return gray(out / 255)


def glass_blur(image, s, rng, record=None):
    sigma, delta, rounds = GLASS[s - 1]
    x = gray(blur(image / 255.0, sigma))
    for _ in range(rounds):
        for h in range(x.shape[0] - delta, delta, -1):
            for w in range(x.shape[1] - delta, delta, -1):
                dx, dy = (int(d) for d in rng.integers(-delta, delta, size=2))
                if record is not None:
                    record += [dx, dy]
                h2, w2 = h + dy, w + dx
                # Views of one array: the second assignment changes nothing.
                x[h, w], x[h2, w2] = x[h2, w2], x[h, w]
    return gray(blur(x / 255.0, sigma))


def smooth_field(noise, alpha, sigma):
    return gaussian(noise, sigma, mode="reflect", truncate=3) * alpha


def elastic(image, s, rng):
    """With OpenCV's map, whose coordinates are rounded to 1/32 pixel."""
    x = image.astype(np.float32) / 255.0
    alpha, sigma, tilt = ELASTIC[s - 1]
    shape = x.shape[:2]
    center, square = np.float32(shape) // 2, min(shape) // 3
    tilt = min(tilt, 0.66 * square)
    first = np.float32([center + square, [center[0] + square, center[1] - square], center - square])
    second = first + rng.uniform(-tilt, tilt, size=first.shape).astype(np.float32)
    matrix = cv2.getAffineTransform(first, second)
    x = cv2.warpAffine(x, matrix, shape[::-1], borderMode=cv2.BORDER_REFLECT_101)
    right = smooth_field(rng.uniform(-1, 1, size=shape), alpha, sigma)
    down = smooth_field(rng.uniform(-1, 1, size=shape), alpha, sigma)
    return moved(x, right, down)


def moved(x, right, down):
    rows, columns, channels = np.meshgrid(*(np.arange(n) for n in x.shape), indexing="ij")
    at = [rows + down[..., None], columns + right[..., None], channels]
    return gray(map_coordinates(x, at, order=1, mode="reflect"))


def jpeg(image, s):
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=JPEG[s - 1])
    return np.array(Image.open(file))


def spatter(image, s, noise):
    c = SPATTER[s - 1]
    x = np.array(image, dtype=np.float32) / 255.0
    layer = gaussian(c[0] + c[1] * noise, sigma=c[2], mode="nearest")
    layer[layer < c[3]] = 0
    if c[5] == 0:
        layer = (layer * 255).astype(np.uint8)
        dist = 255 - cv2.Canny(layer, 50, 150)
        dist = cv2.distanceTransform(dist, cv2.DIST_L2, 5)
        _, dist = cv2.threshold(dist, 20, 20, cv2.THRESH_TRUNC)
        dist = cv2.blur(dist, (3, 3)).astype(np.uint8)
        dist = cv2.equalizeHist(dist)
        dist = cv2.filter2D(dist, cv2.CV_8U, np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]]))
        dist = cv2.blur(dist, (3, 3)).astype(np.float32)
        m = layer * dist
        if m.max() > 0:
            m /= m.max()
        m *= c[4]
        return gray(x + m[..., None] * np.array([175, 238, 238]) / 255.0)
    m = np.where(layer > c[3], 1, 0)
    m = gaussian(m.astype(np.float32), sigma=c[4], mode="nearest")
    m[m < 0.8] = 0
    return gray(x * (1 - m[..., None]) + m[..., None] * np.array([63, 42, 20]) / 255.0)


BANDS = [0, 1 / 16, 1 / 8, 1 / 4, 1]


def change(before, after):
    """Mean and variance of the change, and its variance by bands of frequencies in cycles a pixel."""
    off = (after.astype(np.float64) - before).mean(axis=-1)
    power = np.abs(np.fft.fft2(off - off.mean()) / off.size) ** 2
    fy, fx = np.meshgrid(*(np.fft.fftfreq(n) for n in off.shape), indexing="ij")
    radius = np.hypot(fy, fx)
    bands = [power[(radius >= low) & (radius < high)].sum() for low, high in zip(BANDS, BANDS[1:])]
    return [off.mean(), off.var(), *bands]


def main():
    os.makedirs(HERE, exist_ok=True)
    rng = np.random.default_rng(20)
    source = pattern(64, 48)
    save("source.png", source)
    for s in range(1, 6):
        save(f"gaussian-blur-{s}.png", gaussian_blur(source, s))
        save(f"defocus-blur-{s}.png", defocus_blur(source, s))
        save(f"motion-blur-{s}.png", motion_blur(source, s, ANGLES[s - 1]))
        save(f"jpeg-{s}.png", jpeg(source, s))
    for width, height in [(1, 1), (2, 9), (5, 3), (33, 17), (61, 47)]:
        save(f"jpeg-4-{width}x{height}.png", jpeg(pattern(width, height), 4))
    glass = {}
    for s in (2, 3, 5):
        glass[str(s)] = []
        save(f"glass-blur-{s}.png", glass_blur(source, s, rng, glass[str(s)]))
    noise = rng.uniform(-1, 1, size=(48, 64)).astype(np.float32)
    alpha, sigma, _ = ELASTIC[4]
    right = smooth_field(noise.astype(np.float64), alpha, sigma).astype(np.float32)
    down = smooth_field(noise[::-1, ::-1].astype(np.float64), alpha, sigma).astype(np.float32)
    save_floats("elastic.f32", noise, right, down)
    affine = [0.97, 0.04, -1.3, -0.06, 1.05, 2.2]
    # Rows before columns, and the mirror of OpenCV's REFLECT_101.
    matrix = [[affine[4], affine[3]], [affine[1], affine[0]]]
    tilted = np.stack([affine_transform(source[..., d] / 255.0, matrix, [affine[5], affine[2]], order=1, mode="mirror")
                       for d in range(3)], -1)
    save("elastic.png", moved(tilted, right.astype(np.float64), down.astype(np.float64)))
    layer = rng.normal(size=(128, 128)).astype(np.float32)
    save_floats("spatter.f32", layer)
    picture = photo(96)
    save("photo.png", picture)
    for s in range(1, 6):
        plain = np.full((128, 128, 3), (100, 60, 210), dtype=np.uint8)
        save(f"spatter-{s}.png", spatter(plain, s, layer.astype(np.float64)))
    numbers = {"angles": ANGLES, "affine": affine, "glass": glass, "levels": LEVELS, "plain": {}, "changes": {}}
    for noisy in (gaussian_noise, shot_noise, speckle_noise, salt_and_pepper):
        name = noisy.__name__.replace("_", "-")
        numbers["plain"][name] = []
        for s in range(1, 6):
            rows = []
            for level in LEVELS:
                out = noisy(np.full(1 << 21, level, dtype=np.uint8), s, rng).astype(np.float64)
                rows.append([round(float(v), 4) for v in (out.mean(), out.var(), ((out - out.mean()) ** 4).mean())])
            numbers["plain"][name].append(rows)
    every = {
        "gaussian-noise": gaussian_noise, "shot-noise": shot_noise, "speckle-noise": speckle_noise,
        "salt-and-pepper": salt_and_pepper, "glass-blur": glass_blur, "elastic": elastic,
        "motion-blur": lambda p, s, r: motion_blur(p, s, r.uniform(-45, 45)),
        "spatter": lambda p, s, r: spatter(p, s, r.normal(size=p.shape[:2])),
    }
    for name, corrupt in every.items():
        numbers["changes"][name] = {}
        for s in (2, 3, 5):
            rows = np.array([change(picture, corrupt(picture, s, rng)) for _ in range(48)])
            numbers["changes"][name][str(s)] = [
                [round(float(m), 5), round(float(d), 5)] for m, d in zip(rows.mean(axis=0), rows.std(axis=0, ddof=1))]
    with open(os.path.join(HERE, "numbers.json"), "w") as file:
        json.dump(numbers, file)
        file.write("\n")


main()
