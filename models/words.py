"""Words of code and prose, and their tokens; crates/relevance/src/embedding/ does the same in Rust."""

import re

CHUNK = re.compile(r"[^\W_]+")
# Lower to upper, the last capital of an acronym before a word, letter to digit and back.
BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\d)(?=\D)|(?<=\D)(?=\d)")
WORD_LENGTH_MAX = 48


def words(text):
    return [w for chunk in CHUNK.findall(text) for w in parts(chunk)]


def parts(chunk, cache={}):
    known = cache.get(chunk)
    if known is None:
        known = cache[chunk] = [w.lower() for w in BREAK.split(chunk)]
    return known


class Tokenizer:
    """Whole words that are known, else the fewest known pieces; letters that no piece covers are lost."""

    PIECE_MIN = 2

    def __init__(self, vocabulary):
        self.rank = {w: i for i, w in enumerate(vocabulary)}
        self.longest = max(map(len, vocabulary))
        self.cache = {}

    def tokens(self, text, limit=None):
        result = []
        for word in words(text):
            known = self.cache.get(word)
            if known is None:
                known = self.cache[word] = self.split(word)
            result += known
            if limit and len(result) >= limit:
                return result[:limit]
        return result

    def split(self, word):
        whole = self.rank.get(word)
        if whole is not None:
            return [whole]
        if len(word) > WORD_LENGTH_MAX:
            return []
        # best[i]: (letters lost, pieces, sum of ranks, pieces themselves) of word[:i]
        best = [(0, 0, 0, ())]
        for end in range(1, len(word) + 1):
            lost, count, ranks, pieces = best[end - 1]
            options = [(lost + 1, count, ranks, pieces)]
            for start in range(max(0, end - self.longest), end - self.PIECE_MIN + 1):
                piece = self.rank.get(word[start:end])
                if piece is not None:
                    lost, count, ranks, pieces = best[start]
                    options.append((lost, count + 1, ranks + piece, pieces + (piece,)))
            best.append(min(options, key=lambda o: o[:3]))
        return list(best[-1][3])


def vocabulary(texts, size, packages):
    """The `size` words that most packages use, and the most frequent short pieces of the others."""
    used = {}
    for text, package in zip(texts, packages):
        for word in set(words(text)):
            if word.isascii() and 1 < len(word) <= WORD_LENGTH_MAX:
                row = used.setdefault(word, [0, set()])
                row[0] += 1
                row[1].add(package)
    spread = sorted(used, key=lambda w: (-len(used[w][1]), -used[w][0], w))
    pieces = {}
    for word in spread[size:]:
        for length in (2, 3, 4):
            for start in range(len(word) - length + 1):
                piece = word[start:start + length]
                pieces[piece] = pieces.get(piece, 0) + 1
    extra = sorted(pieces, key=lambda p: (-pieces[p], p))
    kept = spread[:size - 1500]
    known = set(kept)
    kept += [p for p in extra if p not in known][:1500]
    return kept
