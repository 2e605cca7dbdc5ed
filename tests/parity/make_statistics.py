"""Writes data/statistics.json, the fixture of statistics.rs: python make_statistics.py

Wilson intervals and Holm's correction by statsmodels; McNemar's exact test by statsmodels (scipy's binomial test where nothing is
discordant); Spearman's rho and Kendall's tau-b by scipy, their exact p by trying every order (checked against scipy's where that has
no ties); hierarchical clustering by scipy; standard errors and 95 % points of cluster bootstraps by numpy; SC without its sampling noise by
numpy and scipy's gamma distribution, with the noise and p of labels of style that are really dealt again; tests of two models by signs
that are really flipped in every way. null is "not defined".
Written with scipy 1.17.1, statsmodels 0.15.0 and numpy 2.4.6.
"""

import json
import os
from itertools import permutations

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.optimize import brentq
from scipy.stats import gamma, kendalltau, norm, rankdata, spearmanr
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


def wilson():
    for k, n in [(0, 1), (1, 1), (0, 20), (20, 20), (1, 3), (13, 27), (330, 500), (66, 169), (307_121, 617_000)]:
        low, high = proportion_confint(k, n, method="wilson")
        yield {"k": k, "n": n, "low": float(low), "high": float(high)}


def tests():
    for a, b in [(0, 0), (1, 0), (0, 6), (5, 5), (3, 12), (81, 63), (97, 60), (400, 310), (1200, 1100)]:
        yield {"a": a, "b": b, "p": float(mcnemar([[0, a], [b, 0]], exact=True).pvalue)}


def holm():
    for p in [[], [0.03], [0.01, 0.04, 0.03], [0.2, 0.2, 0.001, 0.2], [1, 1], [0, 0.5, 0.04, 0.012, 0.012, 0.9]]:
        yield {"p": p, "corrected": multipletests(p, method="holm")[1].tolist() if p else []}


def exact(x, y, statistic):
    """Share of all orders whose coefficient is at least as far from 0."""
    given = abs(statistic(x, y))
    found = [abs(statistic(x, [y[i] for i in order])) >= given - 1e-9 for order in permutations(range(len(y)))]
    return float(np.mean(found))


def rho(x, y):
    x, y = rankdata(x), rankdata(y)
    return float(np.corrcoef(x, y)[0, 1])


def tau(x, y):
    """scipy's tau-b, without its p, which is what takes the time."""
    x, y = np.array(x), np.array(y)
    sx, sy = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    return float((sx * sy).sum() / np.sqrt((sx**2).sum() * (sy**2).sum()))


def correlations():
    rng = np.random.default_rng(7)
    cases = [([], []), ([1], [2]), ([1, 2], [3, 4]), ([1, 2], [4, 3]), ([1, 1, 1], [1, 2, 3]), ([3, 3], [5, 5]),
             ([1, 2, 3], [2, 2, 5]), ([41.38, 50.17, 56.61, 58.46, 65.3], [30, 44, 41, 60, 61]),
             ([1, 2, 2, 3, 3, 3, 4], [7, 5, 5, 5, 1, 2, 1]), (range(7), [6, 1, 5, 0, 2, 4, 3]),
             (rng.random(12).round(1), rng.random(12).round(1)), (rng.random(26), rng.random(26))]
    for x, y in cases:
        x, y = [float(v) for v in x], [float(v) for v in y]
        case = dict.fromkeys(["spearman", "kendall", "spearman_p", "kendall_p"]) | {"x": x, "y": y}
        if len(x) > 1 and len(set(x)) > 1 and len(set(y)) > 1:
            case["spearman"], case["kendall"] = float(spearmanr(x, y)[0]), float(kendalltau(x, y)[0])
            assert abs(case["spearman"] - rho(x, y)) < 1e-12 and abs(case["kendall"] - tau(x, y)) < 1e-12
            if len(x) <= 7:
                case["spearman_p"], case["kendall_p"] = exact(x, y, rho), exact(x, y, tau)
                if len(set(x)) == len(x) and len(set(y)) == len(y):
                    assert abs(case["kendall_p"] - kendalltau(x, y, method="exact")[1]) < 1e-12
        yield case


def trees():
    rng = np.random.default_rng(11)
    sets = {"one": [[1, 2]], "two": [[0], [3]], "line": [[0], [1], [5], [5.5], [20]], "grid": [[i, j] for i in range(3) for j in range(3)],
            "same": [[1, 1]] * 4, "boards": rng.normal(60, 15, (26, 20)).round(2).tolist(),
            "ties": rng.integers(0, 3, (15, 2)).tolist()}
    for name, points in sets.items():
        for method in ["average", "ward"]:
            merges = linkage(np.array(points, float), method).tolist() if len(points) > 1 else []
            points = [[float(x) for x in p] for p in points]
            yield {"name": name, "method": method, "points": points, "merges": merges}


def bootstraps():
    rng = np.random.default_rng(5)
    # Images with one to six questions that tend to be right or wrong together: right, questions.
    image = rng.random(150)
    n = rng.integers(1, 7, 150)
    groups = np.stack([rng.binomial(n, image), n], axis=1).astype(float)
    # Multiple-choice and true-or-false right and asked.
    both = np.stack([rng.binomial(3, 0.4 + 0.5 * image), np.full(150, 3), rng.binomial(2, 0.5 + 0.3 * image), np.full(150, 2)], axis=1)

    def sq(sums):
        mc, tf = sums[0] / sums[1], sums[2] / sums[3]
        return (100 * ((tf - 0.5) / 0.5 - (mc - 0.25) / 0.75) / 2) ** 2

    for name, table, statistic in [("ratio", groups, lambda s: s[0] / s[1]), ("sq", both.astype(float), sq)]:
        draws = [statistic(table[rng.integers(0, len(table), len(table))].sum(axis=0)) for _ in range(8000)]
        yield {"name": name, "clusters": table.astype(int).tolist(), "value": float(statistic(table.sum(axis=0))),
               "standard_error": float(np.std(draws, ddof=1)), "low": float(np.percentile(draws, 2.5)),
               "high": float(np.percentile(draws, 97.5))}


def sc_parts(styles):
    """Of styles, each a list of clusters (right, questions): shares, variances of the shares, questions, clusters, and the design effect."""
    p, v, n, m, free = [], [], [], [], []
    for style in styles:
        k, q = np.array(style, float).T
        share = k.sum() / q.sum()
        p.append(share)
        n.append(q.sum())
        m.append(len(k))
        v.append(len(k) / (len(k) - 1) * ((k - share * q) ** 2).sum() / q.sum() ** 2)
        free.append(share * (1 - share) / (q.sum() - 1))
    return np.array(p), np.array(v), np.array(n), np.array(m), sum(v) / sum(free)


def sc_statistic(p, v):
    """The sum of squared deviations without the noise in it."""
    return ((p - p.mean()) ** 2).sum() - (1 - 1 / len(p)) * v.sum()


def sc_estimate(styles):
    """As the documentation of src/metrics/dysca/between.rs says, with matrices and scipy's distributions."""
    p, v, n, m, design = sc_parts(styles)
    s = len(p)
    centring = np.eye(s) - 1 / s
    pooled = (p * n).sum() / n.sum()
    equal = design * pooled * (1 - pooled) / n
    found = sc_statistic(p, v)

    def above(sc, most):
        part = sc / (sc + equal)
        mean = centring @ (part * (p - p.mean()))
        square = mean**2 + sc * (1 - part)
        scale = s * sc / square.sum() if sc > 0 else 0
        mean, square = mean * np.sqrt(scale), square * scale
        at = np.clip(p.mean() + mean, 0.5 / n, 1 - 0.5 / n) if sc > 0 else np.full(s, pooled)
        v = design * at * (1 - at) / n
        both = centring @ np.diag(v)
        second = np.trace(both @ both) + (v**2 / (m - 1)).sum() * (1 - 2 / s)
        third = np.trace(both @ both @ both)
        variance = 2 * second + 4 * (square * v).sum()
        cumulant = 8 * third + 24 * (square * v**2).sum() * (1 - 1 / s) + 8 * (mean**3 * v * (1 - 2 * at) / n).sum()
        skew = max(0.02, min(cumulant / variance**1.5, most))
        shape = 4 / skew**2
        z = (found - s * sc) / np.sqrt(variance)
        return float(gamma.sf(shape + z * np.sqrt(shape), shape)), variance

    def solve(chance, most):
        return 0 if above(0, most)[0] >= chance else brentq(lambda sc: above(sc, most)[0] - chance, 0, 0.25, xtol=1e-16)

    return {"printed": 1e4 * p.var(), "corrected": 1e4 * found / s,
            "noise": 1e4 * (1 - 1 / s) * equal.mean() * n.sum() / (n.sum() - 1), "low": 1e4 * solve(0.025, 2.8),
            "high": 1e4 * solve(0.975, 1.4), "standard_error": 1e4 * np.sqrt(above(max(found, 0) / s, 2.8)[1]) / s, "p": above(0, 2.8)[0]}


def styles():
    rng = np.random.default_rng(17)

    def single(n, p):
        return [[[int(rng.random() < p), 1] for _ in range(n)] for n, p in zip(n, p)]

    def shared(m, p, icc):
        def cluster(p):
            size = int(rng.integers(1, 7))
            return [int(rng.binomial(size, rng.beta(p / icc - p, (1 - p) / icc - (1 - p)))), size]
        return [[cluster(p) for _ in range(m)] for m, p in zip(m, p)]

    cases = {"equal": single([30] * 12, [0.7] * 12), "apart": single([40] * 6, [0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
             "uneven": single([10, 15, 25, 60, 150], [0.8, 0.7, 0.75, 0.7, 0.6]), "few wrong": single([40] * 10, [0.95] * 10),
             "shared": shared([25] * 12, [0.7] * 12, 0.4), "shared apart": shared([15] * 8, np.linspace(0.4, 0.9, 8), 0.3)}
    for name, of in cases.items():
        # Labels are dealt to whole clusters.
        clusters = np.array([c for style in of for c in style], float)
        ends = np.cumsum([len(style) for style in of])[:-1]
        own, drawn = sc_statistic(*sc_parts(of)[:2]), []
        for _ in range(4000):
            p, v = sc_parts(np.split(clusters[rng.permutation(len(clusters))], ends))[:2]
            drawn.append((p.var(), sc_statistic(p, v) >= own - 1e-12))
        case = {key: float(value) for key, value in sc_estimate(of).items()}
        yield {"name": name, "styles": of} | case | {"dealt_noise": float(1e4 * np.mean([d[0] for d in drawn])),
                                                     "dealt_p": float(np.mean([d[1] for d in drawn]))}


def flips():
    """Differences of two models by cluster: how often signs by chance give a sum as far from 0, and the normal distribution of it."""
    rng = np.random.default_rng(23)
    cases = [[1], [1, 1, 1, 1, 1, 1], [2, 1, 1, -1], [5, 4, 3, 3, 2, 2, 1, -1, -2], [10, 1, 1, 1, 1, 1], [3, 3, 3, 3, -3],
             rng.integers(-3, 6, 16).tolist(), rng.integers(-2, 3, 18).tolist()]
    for of in cases:
        of = [int(d) for d in of if d != 0]
        signs = np.array([[1 - 2 * (at >> bit & 1) for bit in range(len(of))] for at in range(2 ** len(of))])
        flipped = float(np.mean(np.abs(signs @ np.array(of)) >= abs(sum(of))))
        yield {"of": of, "flipped": flipped, "normal": float(2 * norm.sf(abs(sum(of)) / np.sqrt(np.square(of).sum())))}


parts = {"wilson": wilson, "mcnemar": tests, "holm": holm, "correlation": correlations, "linkage": trees, "bootstrap": bootstraps, "sc": styles,
         "flip": flips}
with open(os.path.join(DATA, "statistics.json"), "w") as file:
    lines = [f'"{name}":[\n' + ",\n".join(json.dumps(c, separators=(",", ":")) for c in of()) + "\n]" for name, of in parts.items()]
    file.write("{" + ",\n".join(lines) + "}\n")
