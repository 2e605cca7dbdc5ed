"""Writes data/kmmd.json: the matrix of kernel MMD between four sets, with its mean row.

Needs numpy (made with 2.x). The points are made from a linear congruence, so that no random generator
matters, and rounded to float16, as benchtop stores embeddings.
"""

import json
import pathlib

import numpy as np

DIMENSION = 6
SIZES = [12, 9, 15, 7]


def points(which, n):
    state = 12345 + which
    values = []
    for _ in range(n * DIMENSION):
        state = (1103515245 * state + 12345) % 2**31
        values.append(state / 2**31 - 0.5 + 0.3 * which)
    return np.array(values, dtype=np.float16).reshape(n, DIMENSION)


def mmd(x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    both = np.concatenate([x, y])
    squares = ((both[:, None] - both[None]) ** 2).sum(-1)
    # The median heuristic: the median of the squared distances of all pairs.
    upper = squares[np.triu_indices(len(both), 1)]
    kernel = np.exp(-squares / (2 * np.median(upper)))
    m, n = len(x), len(y)
    xx, yy, xy = kernel[:m, :m], kernel[m:, m:], kernel[:m, m:]
    unbiased = (
        (xx.sum() - np.trace(xx)) / (m * (m - 1))
        + (yy.sum() - np.trace(yy)) / (n * (n - 1))
        - 2 * xy.mean()
    )
    return float(unbiased), float(xx.mean() + yy.mean() - 2 * xy.mean())


sets = [points(which, n) for which, n in enumerate(SIZES)]
found = [[None if a is b else mmd(a, b) for b in sets] for a in sets]
column = lambda at: [[pair and pair[at] for pair in row] for row in found]
unbiased = column(0)
mean = [float(np.mean([v for v in row if v is not None])) for row in unbiased]
out = {
    "dimension": DIMENSION,
    "sets": [[float(v) for v in one.ravel()] for one in sets],
    "unbiased": unbiased,
    "biased": column(1),
    "mean": mean,
}
path = pathlib.Path(__file__).parent / "data" / "kmmd.json"
path.write_text(json.dumps(out) + "\n")
