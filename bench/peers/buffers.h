/* Arrays of a caller as buffers of Halide, which lie in its frame. */
#ifndef PM_BENCH_PEERS_BUFFERS_H
#define PM_BENCH_PEERS_BUFFERS_H

#include <HalideRuntime.h>

typedef struct buffer {
  struct halide_buffer_t halide;
  halide_dimension_t dims[3]; /* innermost first */
} buffer;

#define F32 ((struct halide_type_t){halide_type_float, 32, 1})
#define U8 ((struct halide_type_t){halide_type_uint, 8, 1})
#define U16 ((struct halide_type_t){halide_type_uint, 16, 1})

#define PLANE(type, data, rows, cols) plane(&(buffer){0}, type, data, rows, cols)
#define PLANES(type, data, n, rows, cols) planes(&(buffer){0}, type, data, n, rows, cols)

static inline struct halide_buffer_t *planes(buffer *b, struct halide_type_t type, const void *data, int n,
                                             int rows, int cols) {
  b->dims[0] = (halide_dimension_t){.extent = cols, .stride = 1};
  b->dims[1] = (halide_dimension_t){.extent = rows, .stride = cols};
  b->dims[2] = (halide_dimension_t){.extent = n, .stride = rows * cols};
  b->halide =
      (struct halide_buffer_t){.host = (uint8_t *)data, .type = type, .dimensions = 3, .dim = b->dims};
  return &b->halide;
}

static inline struct halide_buffer_t *plane(buffer *b, struct halide_type_t type, const void *data, int rows,
                                            int cols) {
  planes(b, type, data, 1, rows, cols)->dimensions = 2;
  return &b->halide;
}

#endif
