"""The paper's Algorithm 2 in plain numpy: what the engine is compared with.

One random order of the columns at a time, shared by all test points; for every prefix
one argsort of all rows and the recursion of KNN-Shapley (Jia et al. 2019, theorem 1).
Written twice: a loop over test points, as usual, and all test points at once.
"""

import numpy as np


def knn_shapley_of_point(distances, match, k):
    """Values of all rows for one test point (n,)."""
    n = distances.size
    order = np.argsort(distances)
    hit = match[order].astype(float)
    gain = (hit[:-1] - hit[1:]) / np.maximum(k, np.arange(1, n))
    sorted_values = np.append(np.cumsum(gain[::-1])[::-1], 0.0) + hit[-1] / max(n, k)
    values = np.empty(n)
    values[order] = sorted_values
    return values


def knn_shapley_of_points(distances, match, k):
    """The same for all test points at once (n_tests, n)."""
    n = distances.shape[1]
    order = np.argsort(distances, axis=1)
    hit = np.take_along_axis(match, order, axis=1).astype(float)
    gain = (hit[:, :-1] - hit[:, 1:]) / np.maximum(k, np.arange(1, n))
    last = hit[:, -1:] / max(n, k)
    steps = np.cumsum(gain[:, ::-1], axis=1)[:, ::-1] + last
    values = np.empty(distances.shape)
    np.put_along_axis(values, order, np.concatenate([steps, last], axis=1), axis=1)
    return values


def one_permutation(rows, labels, tests, test_labels, k, order, *, at_once):
    """Cell values (n, m) from one order of the columns."""
    n, m = rows.shape
    values, before = np.empty((n, m)), np.zeros(n)
    if at_once:
        match = test_labels[:, None] == labels[None, :]
        distances = np.zeros((len(tests), n))
        for j in order:
            distances += (tests[:, j, None] - rows[None, :, j]) ** 2
            after = knn_shapley_of_points(distances, match, k).mean(axis=0)
            values[:, j] = after - before
            before = after
        return values
    for p, j in enumerate(order):
        seen = order[: p + 1]
        after = np.zeros(n)
        for point, label in zip(tests, test_labels, strict=True):
            distances = ((rows[:, seen] - point[seen]) ** 2).sum(axis=1)
            after += knn_shapley_of_point(distances, labels == label, k)
        after /= len(tests)
        values[:, j] = after - before
        before = after
    return values
