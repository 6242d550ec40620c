/* Unpacks what `packing.rs` packed; the form is described there. Every bound is checked: whatever
   the bytes are, nothing is read or written outside of what is given. */

#include <stdlib.h>
#include <string.h>

#include "table.h"

/* Bits of a deflated text, low ones first. Behind its end there are zeros. */
typedef struct {
  const uint8_t *at;
  const uint8_t *end;
  uint64_t bits;
  unsigned count;
  unsigned missing;
} bits;

enum { CODE_BITS_MAX = 15, LENGTHS = 286, DISTANCES = 30 };

/* What each CODE_BITS_MAX bits begin with: the symbol, and above it the bits that it takes. */
typedef struct {
  uint16_t found[1 << CODE_BITS_MAX];
} codes;

typedef struct {
  codes lengths;
  codes distances;
} both;

static unsigned peek(bits *from, unsigned count) {
  while (from->count < count) {
    if (from->at < from->end) {
      from->bits |= (uint64_t)*from->at++ << from->count;
    } else {
      from->missing++;
    }
    from->count += 8;
  }
  return (unsigned)(from->bits & (((uint64_t)1 << count) - 1));
}

static unsigned take(bits *from, unsigned count) {
  unsigned value = peek(from, count);
  from->bits >>= count;
  from->count -= count;
  return value;
}

/* Codes of these many bits, given to symbols in order. A symbol has nine bits. */
static void make_codes(codes *to, const uint8_t *sizes, unsigned symbols) {
  unsigned next[CODE_BITS_MAX + 2] = {0}, counts[CODE_BITS_MAX + 1] = {0};
  memset(to, 0, sizeof *to);
  for (unsigned symbol = 0; symbol < symbols; symbol++) counts[sizes[symbol]]++;
  counts[0] = 0;
  for (unsigned size = 1; size <= CODE_BITS_MAX; size++) {
    next[size + 1] = (next[size] + counts[size]) << 1;
  }
  for (unsigned symbol = 0; symbol < symbols; symbol++) {
    unsigned size = sizes[symbol], code, turned = 0;
    if (size == 0) continue;
    code = next[size]++;
    for (unsigned bit = 0; bit < size; bit++) turned |= ((code >> bit) & 1) << (size - 1 - bit);
    for (unsigned at = turned; at < 1 << CODE_BITS_MAX; at += 1 << size) {
      to->found[at] = (uint16_t)(symbol | size << 9);
    }
  }
}

/* No symbol has 511; it stands for bits that begin none. */
static unsigned symbol(bits *from, const codes *known) {
  unsigned found = known->found[peek(from, CODE_BITS_MAX)];
  if (found >> 9 == 0) return 511;
  take(from, found >> 9);
  return found & 511;
}

static void fixed_codes(both *to) {
  uint8_t sizes[LENGTHS + 2];
  for (unsigned at = 0; at < LENGTHS + 2; at++) {
    sizes[at] = at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8;
  }
  make_codes(&to->lengths, sizes, LENGTHS + 2);
  memset(sizes, 5, DISTANCES);
  make_codes(&to->distances, sizes, DISTANCES);
}

static int told_codes(bits *from, both *to) {
  static const uint8_t ORDER[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  unsigned lengths = take(from, 5) + 257, distances = take(from, 5) + 1, told = take(from, 4) + 4;
  uint8_t sizes[32 + 257 + 32] = {0}, small[19] = {0};
  for (unsigned at = 0; at < told; at++) small[ORDER[at]] = (uint8_t)take(from, 3);
  make_codes(&to->lengths, small, 19);
  for (unsigned at = 0; at < lengths + distances;) {
    unsigned one = symbol(from, &to->lengths), times = 1, size = one;
    if (one > 18) return 0;
    if (one == 16) {
      if (at == 0) return 0;
      size = sizes[at - 1];
      times = take(from, 2) + 3;
    } else if (one > 16) {
      size = 0;
      times = one == 17 ? take(from, 3) + 3 : take(from, 7) + 11;
    }
    if (times > lengths + distances - at) return 0;
    while (times-- > 0) sizes[at++] = (uint8_t)size;
  }
  make_codes(&to->lengths, sizes, lengths);
  make_codes(&to->distances, sizes + lengths, distances);
  return 1;
}

/* One block of symbols; how much of `to` there is. */
static size_t block(bits *from, const both *known, uint8_t *to, size_t done, size_t size) {
  static const uint16_t LENGTH[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t LENGTH_BITS[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                        2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  static const uint16_t BACK[] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,
                                  33,  49,  65,  97,  129, 193,  257,  385,  513,  769,
                                  1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  while (done < size && from->missing < 8) {
    unsigned one = symbol(from, &known->lengths);
    if (one < 256) {
      to[done++] = (uint8_t)one;
      continue;
    }
    if (one == 256 || one - 257 >= sizeof LENGTH_BITS) break;
    size_t length = LENGTH[one - 257] + take(from, LENGTH_BITS[one - 257]);
    unsigned far = symbol(from, &known->distances);
    if (far >= DISTANCES) break;
    size_t back = BACK[far] + take(from, far < 2 ? 0 : far / 2 - 1);
    if (back > done) break;
    for (; length > 0 && done < size; length--, done++) to[done] = to[done - back];
  }
  /* Where the text ends, the sign of the block's end has not been read. */
  return done;
}

/* Inflates (RFC 1951) to at most `size` bytes; how many they are. */
static size_t inflate(bits from, both *known, uint8_t *to, size_t size) {
  size_t done = 0;
  unsigned is_last = 0;
  while (!is_last && done < size && from.missing < 8) {
    is_last = take(&from, 1);
    unsigned kind = take(&from, 2);
    if (kind == 0) {
      take(&from, from.count % 8);
      unsigned length = take(&from, 16);
      take(&from, 16);
      while (length-- > 0 && done < size && from.missing == 0) to[done++] = (uint8_t)take(&from, 8);
    } else {
      if (kind == 1) fixed_codes(known);
      if (kind == 3 || (kind == 2 && !told_codes(&from, known))) break;
      done = block(&from, known, to, done, size);
    }
  }
  return done;
}

static size_t number(const uint8_t **at, const uint8_t *end) {
  size_t number = 0;
  unsigned shift = 0;
  while (*at < end && shift < 32) {
    uint8_t byte = *(*at)++;
    number |= (size_t)(byte & 127) << shift;
    if (byte < 128) break;
    shift += 7;
  }
  return number;
}

/* Fills one table; its memory may be of any type. */
static void fill(foveal_table table, const uint8_t **at, const uint8_t *end) {
  size_t done = 0;
  char *to = table.to;
  while (*at < end) {
    size_t plain = number(at, end);
    for (; plain > 0 && *at < end; plain--) {
      uint16_t one = (uint16_t)number(at, end);
      if (done < table.count) memcpy(to + 2 * done++, &one, 2);
    }
    size_t copied = number(at, end);
    size_t back = number(at, end);
    if (copied == 0 && back == 0) break;
    if (back == 0 || back > done) continue;
    for (; copied > 0 && done < table.count; copied--, done++) {
      memcpy(to + 2 * done, to + 2 * (done - back), 2);
    }
  }
}

void foveal_unpack(const uint8_t *packed, size_t bytes, size_t inflated_bytes,
                   const foveal_table *tables, size_t count) {
  uint8_t *inflated = malloc(inflated_bytes + 1);
  both *known = malloc(sizeof *known);
  bits from = {packed, packed + bytes, 0, 0, 0};
  /* As all else does that finds no memory. */
  if (!inflated || !known) abort();
  const uint8_t *at = inflated;
  const uint8_t *end = inflated + inflate(from, known, inflated, inflated_bytes);
  for (size_t one = 0; one < count; one++) fill(tables[one], &at, end);
  free(known);
  free(inflated);
}
