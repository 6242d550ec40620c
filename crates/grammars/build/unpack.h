/* What the copy of a parser needs to fill its tables: `parser_source.rs` writes the calls. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "table.h"
#include "tree_sitter/parser.h"

/* A number of 16 bits in memory of any type. */
static inline uint16_t foveal_half(const void *from, size_t at) {
  uint16_t number;
  memcpy(&number, (const char *)from + at * sizeof number, sizeof number);
  return number;
}

/* Numbers that were packed as what they have more than their places. */
static inline void foveal_add_places(uint16_t *numbers, size_t count) {
  for (size_t at = 0; at < count; at++) numbers[at] = (uint16_t)(numbers[at] + at);
}

/* Places that were packed as what each has more than the one before, in the second half. */
static inline void foveal_add_up(uint32_t *places, size_t count) {
  uint32_t sum = 0;
  for (size_t at = 0; at < count; at++) {
    sum += foveal_half(places, count + at);
    places[at] = sum;
  }
}

/* Actions that were packed as four numbers each. The low bits of the first say what it is. */
static inline void foveal_make_actions(TSParseActionEntry *actions, size_t count) {
  for (size_t at = 0; at < count; at++) {
    uint16_t first = foveal_half(actions, 4 * at);
    uint16_t second = foveal_half(actions, 4 * at + 1);
    uint16_t third = foveal_half(actions, 4 * at + 2);
    uint16_t fourth = foveal_half(actions, 4 * at + 3);
    uint8_t more = (uint8_t)(first >> 3);
    TSParseActionEntry made;
    memset(&made, 0, sizeof made);
    switch (first & 7) {
      case 0:
        made.entry.count = (uint8_t)second;
        made.entry.reusable = more != 0;
        break;
      case 1:
        made.action.shift.type = TSParseActionTypeShift;
        made.action.shift.state = second;
        made.action.shift.extra = third != 0;
        made.action.shift.repetition = fourth != 0;
        break;
      case 2:
        made.action.reduce.type = TSParseActionTypeReduce;
        made.action.reduce.child_count = more;
        made.action.reduce.symbol = second;
        made.action.reduce.dynamic_precedence = (int16_t)third;
        made.action.reduce.production_id = fourth;
        break;
      case 3:
        made.action.type = TSParseActionTypeAccept;
        break;
      default:
        made.action.type = TSParseActionTypeRecover;
    }
    actions[at] = made;
  }
}

/* The calls above copy four numbers of 16 bits over each action. */
typedef char foveal_actions_have_four_numbers[sizeof(TSParseActionEntry) == 8 ? 1 : -1];
