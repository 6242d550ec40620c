/* Unpacks what `packing.rs` packed; the form is described there. */

#include <stddef.h>
#include <stdint.h>

static size_t foveal_number(const uint8_t **at, const uint8_t *end) {
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

static void foveal_unpack(uint16_t *to, size_t count, const uint8_t *at, size_t bytes) {
  const uint8_t *end = at + bytes;
  size_t done = 0;
  while (done < count && at < end) {
    size_t plain = foveal_number(&at, end);
    while (plain-- > 0 && done < count) to[done++] = (uint16_t)foveal_number(&at, end);
    size_t copied = foveal_number(&at, end);
    size_t back = foveal_number(&at, end);
    if (back == 0 || back > done) continue;
    while (copied-- > 0 && done < count) {
      to[done] = to[done - back];
      done++;
    }
  }
}
