"""Prints how often 95 % intervals of the board hold the true numbers: python simulate_intervals.py

1,000 benchmarks of each kind, whose true numbers are known; the tables of docs/board.md. The first is of SC: the formulas of make_statistics.py, which
holds them against the program's, for many benchmarks at once. The second is of what is drawn again by picture, and of the test of two models; the
program itself is simulated in src/metrics/score/tests/coverage.rs. Written with numpy 2.4.6 and scipy 1.17.1.
"""

import numpy as np
from scipy.special import gammaincc
from scipy.stats import norm, t

RNG = np.random.default_rng(1)


def tail(z, skew):
    shape = 4 / np.maximum(skew, 0.02) ** 2
    return gammaincc(shape, np.maximum(shape + z * np.sqrt(shape), 0))


class Sc:
    """Benchmarks by styles: right answers, questions, clusters and variances of the shares."""

    def __init__(self, k, n, m=None, v=None):
        self.s, self.n, self.p = k.shape[1], n, k / n
        self.m = n if m is None else m
        free = self.p * (1 - self.p) / (n - 1)
        self.v = free if v is None else v
        self.design = (self.v.sum(1) / np.maximum(free.sum(1), 1e-300))[:, None]
        self.pooled = k.sum(1, keepdims=True) / n.sum(1, keepdims=True)
        self.centre = self.p.mean(1, keepdims=True)
        self.found = ((self.p - self.centre) ** 2).sum(1) - (1 - 1 / self.s) * self.v.sum(1)

    def above(self, sc, most):
        s, sc = self.s, sc[:, None]
        part = sc / (sc + self.design * self.pooled * (1 - self.pooled) / self.n + 1e-300)
        mean = (self.p - self.centre) * part
        mean = mean - mean.mean(1, keepdims=True)
        square = mean**2 + sc * (1 - part)
        total = square.sum(1, keepdims=True)
        scale = np.where(total > 0, s * sc / np.where(total > 0, total, 1), 0)
        mean, square = mean * np.sqrt(scale), square * scale
        at = np.where(sc > 0, np.clip(self.centre + mean, 0.5 / self.n, 1 - 0.5 / self.n), self.pooled)
        v = self.design * at * (1 - at) / self.n
        v1, v2 = v.sum(1), (v**2).sum(1)
        second = (v**2 * self.m / (self.m - 1)).sum(1) * (1 - 2 / s) + (v1 / s) ** 2
        third = (v**3).sum(1) * (1 - 3 / s) + 3 * v1 * v2 / s**2 - (v1 / s) ** 3
        third = 8 * third + 24 * (square * v**2).sum(1) * (1 - 1 / s) + 8 * (mean**3 * v * (1 - 2 * at) / self.n).sum(1)
        sd = np.sqrt(np.maximum(2 * second + 4 * (square * v).sum(1), 1e-300))
        return tail((self.found - s * sc[:, 0]) / sd, np.clip(third / sd**3, 0, most))

    def solve(self, chance, most):
        low, high = np.zeros(len(self.found)), np.full(len(self.found), 0.25)
        equal = self.above(low, most)
        for _ in range(40):
            middle = (low + high) / 2
            below = self.above(middle, most) < chance
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.where(equal >= chance, 0, (low + high) / 2)


def simulated(n, centre, sd, images, runs=1000):
    """Coverage, and shares of p up to 0.05 and 0.5; with `images`, so many pictures a style of one to six questions that go together."""
    s = len(n)
    z = RNG.normal(size=s)
    p = centre + sd * (z - z.mean()) / z.std()
    if p.min() < 0.02 or p.max() > 0.98:
        return None
    if not images:
        found = Sc(RNG.binomial(n, p, size=(runs, s)).astype(float), np.broadcast_to(n.astype(float), (runs, s)))
    else:
        k, q, v = (np.zeros((runs, s)) for _ in range(3))
        for at in range(s):
            size = np.broadcast_to(RNG.integers(1, 7, size=n[at]), (runs, n[at]))
            right = RNG.binomial(size, RNG.beta(2 * p[at], 2 * (1 - p[at]), size=size.shape))
            k[:, at], q[:, at] = right.sum(1), size.sum(1)
            rest = right - (k[:, at] / q[:, at])[:, None] * size
            v[:, at] = n[at] / (n[at] - 1) * (rest**2).sum(1) / q[:, at] ** 2
        found = Sc(k, q, np.broadcast_to(n.astype(float), k.shape), v)
    low, high = found.solve(0.025, 2.8), found.solve(0.975, 1.4)
    chance = found.above(np.zeros(runs), 2.8)
    return ((low <= p.var()) & (p.var() <= high)).mean(), (chance <= 0.05).mean(), (chance <= 0.5).mean()


def main():
    def uneven(least, most, s):
        return np.round(least * (most / least) ** (np.arange(s) / (s - 1))).astype(int)

    print("| styles | questions a style | holds the true SC, % | p <= 0.05 where equal, % | p <= 0.5, % |\n|---|---|---|---|---|")
    for s in (5, 10, 51):
        kinds = [(str(n), np.full(s, n), False) for n in (10, 30, 59, 200, 500)]
        kinds += [("20 to 200", uneven(20, 200, s), False), ("10 to 500", uneven(10, 500, s), False)]
        kinds += [("25 pictures of 1 to 6", np.full(s, 25), True)]
        for name, n, images in kinds:
            found = [simulated(n, centre, sd, images) for centre in (0.3, 0.5, 0.7, 0.9) for sd in (0.01, 0.02, 0.04, 0.08)]
            found = [100 * f[0] for f in found if f]
            equal = [simulated(n, centre, 0, images) for centre in (0.3, 0.5, 0.7, 0.9)]
            five, half = (100 * np.mean([f[at] for f in equal]) for at in (1, 2))
            print(f"| {s} | {name} | {np.mean(found):.1f} ({min(found):.1f} to {max(found):.1f}) | {five:.1f} | {half:.1f} |", flush=True)


STYLES, PICTURES, PICTURE, DRAWS = 6, 16, 0.15, 400
WHAT = ["`Acc`, Wilson (questions as if each had a picture of its own)", "`Acc`, drawn", "`Acc.type.*`, drawn", "`Acc.style.*`, drawn",
        "`MC+TF.*`, drawn", "`MC+TF.*-clean`, drawn", "`SQ`, drawn as it is (as it was before)", "`SQ`, its root drawn", "`SC`, drawn as it is (as it was before)",
        "difference in `Acc`, drawn", "difference in `Acc`, by the test", "difference in `MC+TF`, drawn", "difference in `SQ`, drawn"]


def run(models):
    """One benchmark of two models: for each of WHAT whether the interval holds the true number; whether the test finds a difference."""
    pictures = STYLES * PICTURES
    style = np.arange(pictures) % STYLES
    shift = np.where(RNG.random((pictures, 2)) < 0.5, PICTURE, -PICTURE)
    # Every picture has two questions of each type; the corrupted one is another cluster.
    right, truth = [], []
    for types, spread, drop in models:
        effect = spread * (np.arange(STYLES) / (STYLES - 1) * 2 - 1)
        p = np.stack([np.stack([own + effect - d for own in types]) for d in (0, drop)])
        right.append(RNG.random((2, 2, pictures, 2)) < (p[:, :, style] + shift.T[:, None, :])[..., None])
        truth.append((p, drop))
    counts = np.stack([r.sum(-1) for r in right])  # model, scenario, type, picture
    weights = RNG.multinomial(2 * pictures, np.full(2 * pictures, 1 / (2 * pictures)), size=DRAWS).reshape(DRAWS, 2, pictures)
    weights = np.concatenate([np.ones((1, 2, pictures)), weights])
    k = np.einsum("wsp,mstp->wmst", weights, counts)
    n = 2 * weights.sum(2)[:, None, :, None]
    share = k / n
    root = 50 * ((share[:, :, 0, 1] - 0.5) / 0.5 - (share[:, :, 0, 0] - 0.25) / 0.75)
    true_root = np.array([50 * ((p[0, 1].mean() - 0.5) / 0.5 - (p[0, 0].mean() - 0.25) / 0.75) for p, _ in truth])
    acc, true_acc = share[:, :, 0].mean(-1), np.array([p[0].mean() for p, _ in truth])
    both = share.mean(-1)
    by_style = np.stack([np.einsum("wp,mtp->wm", weights[:, 0] * (style == s), counts[:, 0]) / (4 * (weights[:, 0] * (style == s)).sum(1))[:, None] for s in range(STYLES)], -1)

    def ends(draws, clusters=pictures):
        """Percentiles, farther apart as few clusters need it."""
        by = t.ppf(0.975, clusters - 1) / norm.ppf(0.975) * np.sqrt(clusters / (clusters - 1))
        low, high = np.nanpercentile(draws[1:], [2.5, 97.5])
        return draws[0] + by * (low - draws[0]), draws[0] + by * (high - draws[0])

    def holds(draws, true, clusters=pictures):
        low, high = ends(draws, clusters)
        return low <= true <= high

    def held(draws, true):
        low, high = np.nanpercentile(draws[1:], [2.5, 97.5])
        return low <= true <= high

    low, high = ends(root[:, 0])
    least = 0 if low <= 0 <= high else min(low**2, high**2)
    z2, all_n, all_k = 1.959963984540054**2, 4 * pictures, counts[0, 0].sum()
    centre, half = (all_k + z2 / 2) / (all_n + z2), np.sqrt(z2 * (all_k * (all_n - all_k) / all_n + z2 / 4)) / (all_n + z2)
    d, m = (counts[0, 0] - counts[1, 0]).sum(0), np.full(pictures, 4)
    a, b, c = all_n**2 - z2 * (m**2).sum(), d.sum() * all_n - z2 * (d * m).sum(), d.sum() ** 2 - z2 * (d**2).sum()
    edge = np.sqrt(max(b * b - a * c, 0))
    apart = true_acc[0] - true_acc[1]
    true_sc = 1e4 * truth[0][0][0].mean(0).var()
    found = [abs(centre - true_acc[0]) <= half, holds(acc[:, 0], true_acc[0]), holds(share[:, 0, 0, 0], truth[0][0][0, 0].mean()),
             holds(by_style[:, 0, 0], truth[0][0][0, :, 0].mean(), PICTURES), holds(both[:, 0, 0], true_acc[0]), holds(both[:, 0, 1] - both[:, 0, 0], -truth[0][1], 2 * pictures),
             held(root[:, 0] ** 2, true_root[0] ** 2), least <= true_root[0] ** 2 <= max(low**2, high**2), held(1e4 * by_style[:, 0].var(-1), true_sc),
             holds(acc[:, 0] - acc[:, 1], apart), (b - edge) / a <= apart <= (b + edge) / a, holds(both[:, 0, 0] - both[:, 1, 0], apart),
             holds(root[:, 0] ** 2 - root[:, 1] ** 2, true_root[0] ** 2 - true_root[1] ** 2)]
    return found + [abs(d.sum()) > np.sqrt(z2 * (d**2).sum())]


def others():
    kinds = [("apart", [((0.6, 0.65), 0.08, 0.1), ((0.55, 0.6), 0.08, 0.1)]), ("equal", [((0.55, 0.7), 0.0, 0.05)] * 2)]
    found = {name: 100 * np.mean([run(models) for _ in range(1000)], 0) for name, models in kinds}
    print("\n| interval | types, styles and models apart, % | all equal, % |\n|---|---|---|")
    for at, what in enumerate(WHAT + ["the test finds a difference"]):
        print(f"| {what} | {found['apart'][at]:.1f} | {found['equal'][at]:.1f} |")


main()
others()
