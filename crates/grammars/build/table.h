/* What is unpacked, for who does it (`unpack.c`) and who asks for it (`unpack.h`). */

#include <stddef.h>
#include <stdint.h>

/* A table of numbers of 16 bits, and how many it has room for. */
typedef struct {
  void *to;
  size_t count;
} foveal_table;

/* In `unpack.c`. */
void foveal_unpack(const uint8_t *packed, size_t bytes, size_t inflated_bytes,
                   const foveal_table *tables, size_t count);
