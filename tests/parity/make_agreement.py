"""Writes data/agreement/*.json, the fixtures of agreement.rs: python make_agreement.py

Ratings (item, rater, category), missing ones and unknown ones (255) included, with the measures of other people's code:
raw agreement and Gwet's AC1 by irrCAC (told the whole scale), Cohen's kappa by scikit-learn, Fleiss' kappa by statsmodels,
Krippendorff's alpha by krippendorff. Specific agreement is counted here pair by pair. null stands for "not defined": one
category, no item or only one with two ratings. Some have standard errors and 95 % points of bootstrap draws by numpy, and
two are examples that were published with their result. Written with irrCAC 0.4.4, scikit-learn 1.9.1,
statsmodels 0.15.0, krippendorff 0.9.0 and numpy 1.26.4.
"""

import json
import os
from collections import Counter, defaultdict
from itertools import permutations

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "agreement")
UNKNOWN = 255


def matrix(ratings):
    """Items x raters with NaN where nothing is known; items nobody knew left out."""
    known = [r for r in ratings if r[2] != UNKNOWN]
    items, raters = sorted({r[0] for r in known}), sorted({r[1] for r in ratings})
    table = np.full((len(items), len(raters)), np.nan)
    for item, rater, category in known:
        table[items.index(item), raters.index(rater)] = category
    return table


def counts_of(table, k):
    return np.stack([(table == c).sum(axis=1) for c in range(k)], axis=1)


def measures(table, k, positive):
    """Of everybody; table is items x raters."""
    found = dict.fromkeys(["raw", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1",
                           "positive_agreement", "negative_agreement", "fleiss_items"])
    counts = counts_of(table, k)
    of_item = counts.sum(axis=1)
    doubles = int((of_item > 1).sum())
    found |= {"items": len(table), "doubles": doubles, "by_category": [None] * k}
    if doubles == 0:
        return found
    used = {int(c) for row in table for c in row if not np.isnan(c)}
    pairs = np.zeros((k, k), dtype=int)
    for row in table:
        for a, b in permutations(row[~np.isnan(row)].astype(int), 2):
            pairs[a, b] += 1
    found["raw"] = float(np.mean([(n * (n - 1)).sum() / (r * (r - 1)) for n, r in zip(counts, of_item) if r > 1]))
    found["table"] = pairs.ravel().tolist()
    found["by_category"] = [float(pairs[c, c] / pairs[c].sum()) if pairs[c].sum() else None for c in range(k)]
    if k == 2:
        found["positive_agreement"] = found["by_category"][positive]
        found["negative_agreement"] = found["by_category"][1 - positive]
    most = Counter(r for r in of_item.tolist() if r > 1)
    of = max(most, key=lambda r: (most[r], r))
    found["fleiss_items"] = {"ratings": of, "items": most[of], "left_out": len(table) - most[of]}
    if doubles > 1:
        cac = CAC(pd.DataFrame(table), weights="identity", categories=list(range(k)), digits=15).gwet()["est"]
        assert abs(cac["pa"] - found["raw"]) < 1e-12
        found["gwet_ac1"] = float(cac["coefficient_value"])
        if len({c for row in table[of_item > 1] for c in row if not np.isnan(c)}) > 1:
            found["krippendorff_alpha"] = float(krippendorff.alpha(
                reliability_data=table.T, value_domain=list(range(k)), level_of_measurement="nominal"))
    fixed = counts[of_item == of]
    if len(fixed) > 1 and len(used) > 1 and (fixed.sum(axis=0) > 0).sum() > 1:
        found["fleiss_kappa"] = float(fleiss_kappa(fixed, method="fleiss"))
    return found


def of_pair(table, a, b, k, positive):
    both = table[:, [a, b]]
    both = both[~np.isnan(both).any(axis=1)]
    found = measures(both, k, positive)
    left, right = both[:, 0].astype(int), both[:, 1].astype(int)
    square = np.zeros((k, k), dtype=int)
    np.add.at(square, (left, right), 1)
    found["table"] = square.ravel().tolist()
    if len(both) > 1 and len(set(left) | set(right)) > 1:
        found["cohen_kappa"] = float(cohen_kappa_score(left, right, labels=list(range(k))))
    return found


def spread(draws):
    draws = np.array(draws)
    return {"standard_error": float(draws.std(ddof=1)), "low": float(np.percentile(draws, 2.5)),
            "high": float(np.percentile(draws, 97.5))}


def drawn(table, k, draws=4000):
    """The bootstrap over items, with the measures as formulas of the counts (checked against the packages' first)."""
    counts = counts_of(table, k).astype(float)

    def formulas(n):
        r = n.sum(axis=1)
        n2, r2 = n[r > 1], r[r > 1]
        same = (n2 * (n2 - 1)).sum(axis=1)
        raw = (same / (r2 * (r2 - 1))).mean()
        pi = (n / r[:, None]).mean(axis=0)
        chance = (pi * (1 - pi)).sum() / (k - 1)
        of, total = n2.sum(axis=0), n2.sum()
        alpha = 1 - (total - 1) * (total - (same / (r2 - 1)).sum()) / (total**2 - (of**2).sum())
        return raw, (raw - chance) / (1 - chance), alpha

    known = measures(table, k, 0)
    assert np.allclose(formulas(counts), [known["raw"], known["gwet_ac1"], known["krippendorff_alpha"]], atol=1e-12)
    rng = np.random.default_rng(5)
    made = [formulas(counts[rng.integers(0, len(counts), len(counts))]) for _ in range(draws)]
    found = dict(zip(["raw", "gwet_ac1", "krippendorff_alpha"], (spread(d) for d in zip(*made))))
    if table.shape[1] == 2:
        pairs = table[~np.isnan(table).any(axis=1)].astype(int)
        cells = (pairs[rng.integers(0, len(pairs), len(pairs))] for _ in range(draws))
        squares = (np.histogram2d(*c.T, bins=np.arange(k + 1) - 0.5)[0] / len(pairs) for c in cells)
        found["cohen_kappa"] = spread([1 - (1 - np.trace(s)) / (1 - s.sum(axis=0) @ s.sum(axis=1)) for s in squares])
    return found


def write(name, k, ratings, positive=0, bootstrap=False, published=None):
    ratings = [[int(x) for x in r] for r in ratings]
    table = matrix(ratings)
    raters = sorted({r[1] for r in ratings})
    said = defaultdict(dict)
    for item, rater, category in ratings:
        said[item][rater] = category
    pairs = []
    for i, a in enumerate(raters):
        for j, b in enumerate(raters[i + 1:], i + 1):
            met = [(s[a], s[b]) for s in said.values() if a in s and b in s]
            if met:
                unknown = sum(UNKNOWN in pair for pair in met)
                pairs.append({"a": a, "b": b, "unknown": unknown} | of_pair(table, i, j, k, positive))
    every = measures(table, k, positive) | {"unknown": sum(r[2] == UNKNOWN for r in ratings)}
    case = {"categories": k, "positive": positive, "ratings": ratings, "all": every, "pairs": pairs}
    if bootstrap:
        case["bootstrap"] = drawn(table, k)
    if published:
        measure, value, digits = published
        assert round(every[measure], digits) == value, (name, every[measure], value)
        case["published"] = {"measure": measure, "value": value, "digits": digits}
    with open(os.path.join(DATA, name + ".json"), "w") as file:
        file.write(json.dumps(case, separators=(",", ":")) + "\n")


def noisy(rng, items, raters, shares, agree, kept=1.0, unknown=0.0):
    """Each rater tells the truth with probability `agree` and guesses otherwise; some ratings are missing or unknown."""
    truth = rng.choice(len(shares), size=items, p=shares)
    for item in range(items):
        for rater in range(raters):
            if rng.random() < kept:
                guess = rng.choice(len(shares), p=shares)
                category = truth[item] if rng.random() < agree else guess
                yield item, rater, UNKNOWN if rng.random() < unknown else category


def main():
    os.makedirs(DATA, exist_ok=True)
    rng = np.random.default_rng(20)
    write("two_people", 2, noisy(rng, 120, 2, [0.55, 0.45], 0.8), bootstrap=True)
    write("skewed", 2, noisy(rng, 300, 2, [0.95, 0.05], 0.7), positive=1, bootstrap=True)
    write("three_missing", 3, noisy(rng, 150, 3, [0.5, 0.3, 0.2], 0.75, kept=0.7, unknown=0.05), bootstrap=True)
    write("five_of_four", 4, noisy(rng, 40, 5, [0.4, 0.3, 0.2, 0.1], 0.6))
    write("many_people", 16, noisy(rng, 60, 9, [1 / 16] * 16, 0.7, kept=0.4, unknown=0.03))
    write("wide_scale", 5, noisy(rng, 30, 2, [0, 0.6, 0, 0.4, 0], 0.5))
    write("one_category", 2, [(i, r, 0) for i in range(10) for r in range(3) if (i + r) % 4])
    write("one_category_of_two", 2, [(0, 4, 1), (0, 9, 1), (1, 4, 1), (1, 9, 1), (2, 9, 0)])
    write("one_item_same", 2, [(7, 0, 1), (7, 1, 1)])
    write("one_item_other", 2, [(7, 0, 0), (7, 1, 1), (8, 0, 1)])
    write("no_doubles", 2, [(0, 0, 0), (1, 1, 1), (2, 0, 1), (3, 0, 255), (3, 1, 0)])
    write("nothing", 3, [])
    # 85 of 100 pairs agree and kappa is low: the paradox of Feinstein and Cicchetti (1990, the first paper).
    cells = [(0, 0)] * 80 + [(0, 1)] * 10 + [(1, 0)] * 5 + [(1, 1)] * 5
    write("paradox", 2, [(i, r, c) for i, pair in enumerate(cells) for r, c in enumerate(pair)], bootstrap=True)
    # Krippendorff (2011), section C: four observers, twelve units.
    rows = ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."]
    write("krippendorff_2011", 5, [(i, r, int(c) - 1) for r, row in enumerate(rows)
                                   for i, c in enumerate(row.split()) if c != "."],
          published=("krippendorff_alpha", 0.743, 3))
    # Fourteen ratings of ten items, the worked example of Fleiss' kappa in Wikipedia.
    table = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
             [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]
    write("fourteen_ratings", 5, [(i, r, c) for i, n in enumerate(table)
                                  for r, c in enumerate(np.repeat(range(5), n))],
          published=("fleiss_kappa", 0.210, 3))


main()
