"""Writes data/statistics.json, the fixture of statistics.rs: python make_statistics.py

Wilson intervals and Holm's correction by statsmodels; McNemar's exact test by statsmodels (scipy's binomial test where nothing is
discordant); Spearman's rho and Kendall's tau-b by scipy, their exact p by trying every order (checked against scipy's where that has
no ties); hierarchical clustering by scipy; standard errors and 95 % points of cluster bootstraps by numpy. null is "not defined".
Written with scipy 1.17.1, statsmodels 0.15.0 and numpy 2.4.6.
"""

import json
import os
from itertools import permutations

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.stats import kendalltau, rankdata, spearmanr
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


parts = {"wilson": wilson, "mcnemar": tests, "holm": holm, "correlation": correlations, "linkage": trees, "bootstrap": bootstraps}
with open(os.path.join(DATA, "statistics.json"), "w") as file:
    lines = [f'"{name}":[\n' + ",\n".join(json.dumps(c, separators=(",", ":")) for c in of()) + "\n]" for name, of in parts.items()]
    file.write("{" + ",\n".join(lines) + "}\n")
