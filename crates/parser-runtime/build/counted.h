/* What the parser's runtime does between two reports of its progress, counted: a step is about two
   nanoseconds. `runtime_source.rs` puts the counting in. */

#include <stdint.h>

static _Thread_local uint64_t foveal_steps;

/* Steps that count as one operation, of which the runtime reports each hundred. */
#define FOVEAL_STEPS_AN_OPERATION 64

/* Subtrees that are copied to follow several readings back, in one reduction. */
#define FOVEAL_COPIED_MAX 10000

/* A scanner's state of more bytes has no room for what it holds. It is made again for each token. */
#define FOVEAL_STATE_BYTES 900
#define FOVEAL_STATE_STEPS 8000

static unsigned foveal_take_operations(void) {
  uint64_t operations = foveal_steps / FOVEAL_STEPS_AN_OPERATION;
  foveal_steps %= FOVEAL_STEPS_AN_OPERATION;
  return operations > 1000000 ? 1000000 : (unsigned)operations;
}
