/* Memory cells <-> lanes. */
#include "dialects/arith/eval.h"

#include "dialects/arith/kernels.h"

#define LOAD_LOOP(T, field, expr)                                                                            \
  do {                                                                                                       \
    const T *in = cells;                                                                                     \
    if (stride == 1)                                                                                         \
      for (size_t k = 0; k < n; k++) {                                                                       \
        T c = in[k];                                                                                         \
        out[k].field = expr;                                                                                 \
      }                                                                                                      \
    else                                                                                                     \
      for (size_t k = 0; k < n; k++) {                                                                       \
        T c = in[(int64_t)k * stride];                                                                       \
        out[k].field = expr;                                                                                 \
      }                                                                                                      \
  } while (0)

void arith_load_lanes(pm_scalar scalar, const void *cells, int64_t stride, pm_lane *out, size_t n) {
  switch (scalar) {
  case PM_I1:
    LOAD_LOOP(uint8_t, i, c != 0);
    break;
  case PM_I8:
    LOAD_LOOP(int8_t, i, c);
    break;
  case PM_I16:
    LOAD_LOOP(int16_t, i, c);
    break;
  case PM_I32:
    LOAD_LOOP(int32_t, i, c);
    break;
  case PM_I64:
  case PM_U64:
  case PM_INDEX:
    LOAD_LOOP(int64_t, i, c);
    break;
  case PM_U8:
    LOAD_LOOP(uint8_t, i, c);
    break;
  case PM_U16:
    LOAD_LOOP(uint16_t, i, c);
    break;
  case PM_U32:
    LOAD_LOOP(uint32_t, i, c);
    break;
  case PM_F16:
    LOAD_LOOP(uint16_t, f, arith_f16_value(c));
    break;
  case PM_BF16:
    LOAD_LOOP(uint16_t, f, arith_bf16_value(c));
    break;
  case PM_F32:
    LOAD_LOOP(float, f, c);
    break;
  case PM_F64:
    LOAD_LOOP(double, d, c);
    break;
  case PM_N_SCALARS:
    break;
  }
}

#define STORE_LOOP(T, expr)                                                                                  \
  do {                                                                                                       \
    T *to = cells;                                                                                           \
    if (stride == 1)                                                                                         \
      for (size_t k = 0; k < n; k++) {                                                                       \
        pm_lane v = lanes[k];                                                                                \
        to[k] = (T)(expr);                                                                                   \
      }                                                                                                      \
    else                                                                                                     \
      for (size_t k = 0; k < n; k++) {                                                                       \
        pm_lane v = lanes[k];                                                                                \
        to[(int64_t)k * stride] = (T)(expr);                                                                 \
      }                                                                                                      \
  } while (0)

void arith_store_lanes(pm_scalar scalar, const pm_lane *lanes, void *cells, int64_t stride, size_t n) {
  switch (scalar) {
  case PM_I1:
    STORE_LOOP(uint8_t, v.i != 0);
    break;
  case PM_I8:
  case PM_U8:
    STORE_LOOP(uint8_t, v.i);
    break;
  case PM_I16:
  case PM_U16:
    STORE_LOOP(uint16_t, v.i);
    break;
  case PM_I32:
  case PM_U32:
    STORE_LOOP(uint32_t, v.i);
    break;
  case PM_I64:
  case PM_U64:
  case PM_INDEX:
    STORE_LOOP(int64_t, v.i);
    break;
  case PM_F16:
    STORE_LOOP(uint16_t, arith_f16_bits(v.f));
    break;
  case PM_BF16:
    STORE_LOOP(uint16_t, arith_bf16_bits(v.f));
    break;
  case PM_F32:
    STORE_LOOP(float, v.f);
    break;
  case PM_F64:
    STORE_LOOP(double, v.d);
    break;
  case PM_N_SCALARS:
    break;
  }
}

void arith_store_dense(pm_attr dense, void *cells) {
  pm_scalar scalar = (pm_scalar)dense->t->scalar;
  for (size_t k = 0; k < dense->len; k++) {
    pm_lane lane = pm_lane_of_number(scalar, dense->numbers[k]);
    arith_store_lanes(scalar, &lane, (char *)cells + k * pm_scalar_bytes(scalar), 1, 1);
  }
}
