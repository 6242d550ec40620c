"""Trains the built-in embedding model on the pairs that pairs.py made.

    python3 train.py WORK MODEL [--start corpus|random]

A text is the sum over its tokens of root(count) x row, brought to length 1. Rows begin at
random or at the leading directions of the corpus's own co-occurrence matrix, scaled by
smooth inverse frequency, and are moved by InfoNCE over the pairs of a batch in both
directions. No weights of others go in. Writes MODEL in the form that
crates/relevance/src/embedding/model_file.rs reads, and prints MRR@10 and recall@10 of the vectors
alone on the held-out sets.
"""

import argparse
import json
import pathlib
import struct

import numpy as np
import scipy.sparse as sparse

from words import Tokenizer, vocabulary

TOKENS = 24_000
DIMENSIONS = 256
CODE_TOKENS_MAX = 500
EPOCHS = 3
BATCH = 1024
# Pairs of one package that stand together in a batch: they are the hard negatives.
GROUP = 16
RATE = 0.05
TEMPERATURE = 0.035
# Shares of tokens left out at random, and of pairs whose code loses its name's words.
DROPPED_QUERY, DROPPED_CODE, NAMELESS = 0.05, 0.10, 0.20
WINDOW = 5


def read(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def bag(texts, tokens):
    """One row per text: the roots of its token counts."""
    rows = np.repeat(np.arange(len(texts)), [len(t) for t in texts])
    columns = np.concatenate([np.asarray(t, np.int64) for t in texts])
    matrix = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)),
                               shape=(len(texts), tokens))
    matrix.sum_duplicates()
    matrix.data = np.sqrt(matrix.data)
    return matrix


def unit(matrix):
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def corpus_start(texts, tokens, random):
    """The leading directions of the positive pointwise mutual information of neighbours."""
    gap = [np.array([*t, *[-1] * WINDOW], np.int32) for t in texts]
    line = np.concatenate(gap)
    counts = sparse.csr_matrix((tokens, tokens), dtype=np.float32)
    for distance in range(1, WINDOW + 1):
        left, right = line[:-distance], line[distance:]
        both = (left >= 0) & (right >= 0)
        counts += sparse.csr_matrix(
            (np.full(both.sum(), 1 / distance, np.float32), (left[both], right[both])),
            shape=(tokens, tokens))
    counts = (counts + counts.T).tocoo()
    sums = np.maximum(np.asarray(counts.sum(1)).ravel(), 1)
    smooth = sums ** 0.75
    information = np.log(np.maximum(
        counts.data * smooth.sum() / (sums[counts.row] * smooth[counts.col]), 1e-9))
    kept = information > 0
    matrix = sparse.csr_matrix(
        (information[kept].astype(np.float32), (counts.row[kept], counts.col[kept])),
        shape=(tokens, tokens))
    basis = random.standard_normal((tokens, DIMENSIONS + 44)).astype(np.float32)
    for _ in range(4):
        basis, _ = np.linalg.qr(matrix @ (matrix.T @ basis))
    left, values, _ = np.linalg.svd(np.asarray(basis.T @ matrix), full_matrices=False)
    return unit((basis @ left)[:, :DIMENSIONS] * np.sqrt(values[:DIMENSIONS]))


def slope(gradient, direction, length):
    """The gradient before normalisation, given that after it."""
    return (gradient - direction * (gradient * direction).sum(1, keepdims=True)) / length


def batches(groups_of, random):
    """Indices of all pairs in random order, a few of one package at a time."""
    groups = []
    for members in groups_of:
        mixed = random.permutation(members)
        groups += [mixed[i:i + GROUP] for i in range(0, len(mixed), GROUP)]
    order = np.concatenate([groups[i] for i in random.permutation(len(groups))])
    return [order[i:i + BATCH] for i in range(0, len(order) - BATCH + 1, BATCH)]


def without(matrix, random, share):
    matrix.data *= random.random(len(matrix.data)) > share
    return matrix


def step(rows, squares, queries, codes, rate):
    """One step of Adagrad on one batch; returns its loss."""
    size = queries.shape[0]
    lengths, units = [], []
    for side in (queries @ rows, codes @ rows):
        length = np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-4)
        lengths.append(length)
        units.append(side / length)
    cosines = units[0] @ units[1].T / TEMPERATURE
    chance = [np.exp(cosines - cosines.max(axis, keepdims=True)) for axis in (1, 0)]
    chance = [c / c.sum(axis, keepdims=True) for c, axis in zip(chance, (1, 0))]
    pull = (chance[0] + chance[1]) / 2
    pull[np.arange(size), np.arange(size)] -= 1
    pull /= TEMPERATURE * size
    gradients = np.vstack([slope(pull @ units[1], units[0], lengths[0]),
                           slope(pull.T @ units[0], units[1], lengths[1])])
    both = sparse.vstack([queries, codes]).tocsc()
    used = np.flatnonzero(np.diff(both.indptr))
    change = (both[:, used].T @ gradients).astype(np.float32) * size ** 0.5
    squares[used] += change * change
    rows[used] -= rate * change / np.sqrt(squares[used])
    return float(-np.log(np.diag(chance[0]) + 1e-9).mean())


def train(pairs, tokenizer, start, random, report):
    tokens = len(tokenizer.rank)
    query_tokens = [tokenizer.tokens(p["query"]) for p in pairs]
    code_tokens = [tokenizer.tokens(p["code"], CODE_TOKENS_MAX) for p in pairs]
    queries, codes = bag(query_tokens, tokens), bag(code_tokens, tokens)
    names = bag([sorted(set(tokenizer.tokens(p["name"]))) for p in pairs], tokens)
    share = np.asarray(codes.multiply(codes).sum(0)).ravel()
    share /= share.sum()
    weight = (1e-3 / (1e-3 + share)).astype(np.float32)[:, None]
    if start == "corpus":
        rows = corpus_start(query_tokens + code_tokens, tokens, random).astype(np.float32)
    else:
        rows = unit(random.standard_normal((tokens, DIMENSIONS))).astype(np.float32)
    rows *= weight
    squares = np.full(rows.shape, 1e-3, np.float32)
    package = np.unique([p["package"] for p in pairs], return_inverse=True)[1]
    order = np.argsort(package, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(package[order])) + 1)
    done, total = 0, EPOCHS * (len(pairs) // BATCH)
    for epoch in range(EPOCHS):
        losses = []
        for chosen in batches(groups, random):
            nameless = sparse.diags((random.random(BATCH) < NAMELESS).astype(np.float32))
            code = codes[chosen]
            # A name's token loses all its occurrences, whatever their number.
            hidden = (nameless @ names[chosen]).astype(bool).astype(np.float32)
            code = without((code - code.multiply(hidden)).tocsr(), random, DROPPED_CODE)
            query = without(queries[chosen].copy(), random, DROPPED_QUERY)
            losses.append(step(rows, squares, query, code, RATE * max(0.05, 1 - done / total)))
            done += 1
        print("epoch", epoch, "loss", round(float(np.mean(losses)), 3), report(rows), flush=True)
    return rows


def quantised(rows):
    scales = np.abs(rows).max(1) / 127
    steps = np.round(rows / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    return scales.astype("<f4"), steps


def measures(tokenizer, rows, sets):
    result = {}
    for name, pairs in sets.items():
        sides = [unit(bag([tokenizer.tokens(p[side]) for p in pairs], len(tokenizer.rank)) @ rows)
                 for side in ("query", "code")]
        cosines = sides[0] @ sides[1].T
        own = np.diag(cosines)[:, None]
        place = (cosines > own).sum(1) + ((cosines == own).sum(1) - 1) / 2 + 1
        result[name] = (round(float(np.where(place <= 10, 1 / place, 0).mean()), 3),
                        round(float((place <= 10).mean()), 3))
    return result


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("work", type=pathlib.Path)
    arguments.add_argument("model", type=pathlib.Path)
    arguments.add_argument("--start", choices=("corpus", "random"), default="corpus")
    arguments = arguments.parse_args()
    sets = {f"{s} {l}": read(arguments.work / f"eval_{s}_{l}.jsonl")
            for s in "ab" for l in ("python", "rust")}
    pairs = read(arguments.work / "train.jsonl")
    words = vocabulary([f"{p['query']} {p['code']}" for p in pairs], TOKENS,
                       [p["package"] for p in pairs])
    tokenizer = Tokenizer(words)
    rows = train(pairs, tokenizer, arguments.start, np.random.default_rng(0),
                 lambda rows: measures(tokenizer, rows, sets))
    scales, steps = quantised(rows)
    print("int8", measures(tokenizer, steps * scales[:, None], sets))
    text = "\n".join(words).encode()
    header = b"foveal-e" + struct.pack("<4I", 1, len(words), DIMENSIONS, len(text))
    arguments.model.write_bytes(header + text + scales.tobytes() + steps.tobytes())
    print(arguments.model, arguments.model.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
