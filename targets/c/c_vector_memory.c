/* Vectors from and to memory. */
#include "dialects/loop/access.h"
#include "dialects/loop/vec.h"
#include "targets/c/c_vector.h"

/* The shape of an access: $A and $R the vector, $B the mask or the offsets. */
static c_shape access_shape(c_emitter *e, const pm_value *vector, pm_scalar b) {
  pm_scalar scalar = c_is_mask(vector) ? c_mask_scalar(C_MEMORY_MASK_BITS) : c_lane_scalar(e, vector);
  const char *cell = c_type_name(e, pm_elem_type(vector->type));
  return (c_shape){e, scalar, scalar, b, b, vector->type->lanes, 1, cell};
}

/* Of lane 0, which is aligned as the attribute says, if it is there. */
static void put_address(c_emitter *e, const loop_access *access, pm_attr align) {
  c_put(e, align ? "PM_ALIGNED(&" : "&");
  c_element(e, access);
  if (align) c_put(e, ", %lld)", (long long)align->i);
  c_program_of(e)->uses_aligned = c_program_of(e)->uses_aligned || align;
}

/* `buffer, index`: no address is made of what may lie outside. */
static void put_place(c_emitter *e, const loop_access *access) {
  c_put(e, "%s, ", c_var_of(e, access->buffer)->name);
  c_flat_index(e, access);
}

static void put_load(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const c_template load = {"$R", "const $x *p", NULL,
                                  "  $R r;\n  memcpy(&r, p, sizeof r);\n  return r;\n", NULL};
  static const c_template load_mask = {"$R", "const $x *p", NULL, "{0}", "$r = ($e)-p[k]"};
  const pm_value *vector = pm_res(op, 0);
  const c_shape s = access_shape(e, vector, PM_I8);
  e->uses_copy = true;
  c_put(e, "%s(",
        c_define_by_one(&s, c_lane_word(vector, "load", "load_mask"), s.r,
                        c_is_mask(vector) ? &load_mask : &load));
  put_address(e, access, pm_attr_at(op, vec_load_align));
  c_put(e, ")");
}

static void put_maskedload(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const c_template load = {"$R", "const $x *p, int64_t at, $B b, $R c", NULL, "c",
                                  "if ($b) $r = p[at + k]"};
  static const c_template load_mask = {"$R", "const $x *p, int64_t at, $B b, $R c", NULL, "c",
                                       "if ($b) $r = ($e)-p[at + k]"};
  const pm_value *vector = pm_res(op, 0);
  c_shape s = access_shape(e, vector, PM_I8);
  s.b = c_mask_scalar(c_bits_of(s.r));
  c_put(e, "%s(",
        c_define_by_one(&s, c_lane_word(vector, "maskedload", "maskedload_mask"), s.r,
                        c_is_mask(vector) ? &load_mask : &load));
  put_place(e, access);
  c_put(e, ", ");
  c_put_mask(e, pm_arg(op, vec_maskedload_mask), s.b);
  c_put(e, ", ");
  c_put_lanes(e, pm_arg(op, vec_maskedload_pass_thru), s.r);
  c_put(e, ")");
}

static void put_gather(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const c_template gather = {"$R", "const $x *p, int64_t at, $B b", NULL, "{0}",
                                    "$r = p[at + (int64_t)$b$d]"};
  static const c_template gather_mask = {"$R", "const $x *p, int64_t at, $B b", NULL, "{0}",
                                         "$r = ($e)-p[at + (int64_t)$b$d]"};
  const pm_value *vector = pm_res(op, 0), *offsets = pm_arg(op, vec_gather_offsets);
  c_shape s = access_shape(e, vector, c_lane_scalar(e, offsets));
  s.run = vec_gather_run(op);
  c_put(e, "%s(",
        c_define_by_two(&s, c_lane_word(vector, "gather", "gather_mask"), s.r, s.b,
                        c_is_mask(vector) ? &gather_mask : &gather));
  put_place(e, access);
  c_put(e, ", ");
  c_expr(e, offsets, C_TERNARY);
  c_put(e, ")");
}

static void put_maskedgather(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const c_template gather = {"$R", "const $x *p, int64_t at, $B b, $C c, $R d", NULL, "d",
                                    "if ($c) $r = p[at + (int64_t)$b]"};
  static const c_template gather_mask = {"$R", "const $x *p, int64_t at, $B b, $C c, $R d", NULL, "d",
                                         "if ($c) $r = ($e)-p[at + (int64_t)$b]"};
  const pm_value *vector = pm_res(op, 0), *offsets = pm_arg(op, vec_maskedgather_offsets);
  c_shape s = access_shape(e, vector, c_lane_scalar(e, offsets));
  s.c = c_mask_scalar(c_bits_of(s.r));
  c_put(e, "%s(",
        c_define_by_two(&s, c_lane_word(vector, "maskedgather", "maskedgather_mask"), s.r, s.b,
                        c_is_mask(vector) ? &gather_mask : &gather));
  put_place(e, access);
  c_put(e, ", ");
  c_expr(e, offsets, C_TERNARY);
  c_put(e, ", ");
  c_put_mask(e, pm_arg(op, vec_maskedgather_mask), s.c);
  c_put(e, ", ");
  c_put_lanes(e, pm_arg(op, vec_maskedgather_pass_thru), s.r);
  c_put(e, ")");
}

static void put_store(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const c_template store = {"void", "$x *p, $A a", NULL, "  memcpy(p, &a, sizeof a);\n", NULL};
  static const c_template store_mask = {"void", "$x *p, $A a", NULL, NULL, "p[k] = $a != 0"};
  const pm_value *vector = pm_arg(op, vec_store_value);
  const c_shape s = access_shape(e, vector, PM_I8);
  e->uses_copy = true;
  c_put(e, "%s(",
        c_define_by_one(&s, c_lane_word(vector, "store", "store_mask"), s.a,
                        c_is_mask(vector) ? &store_mask : &store));
  put_address(e, access, pm_attr_at(op, vec_store_align));
  c_put(e, ", ");
  c_put_lanes(e, vector, s.a);
  c_put(e, ")");
}

static void put_maskedstore(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const c_template store = {"void", "$x *p, int64_t at, $B b, $A a", NULL, NULL,
                                   "if ($b) p[at + k] = $a"};
  static const c_template store_mask = {"void", "$x *p, int64_t at, $B b, $A a", NULL, NULL,
                                        "if ($b) p[at + k] = $a != 0"};
  const pm_value *vector = pm_arg(op, vec_maskedstore_value);
  c_shape s = access_shape(e, vector, PM_I8);
  s.b = c_mask_scalar(c_bits_of(s.a));
  c_put(e, "%s(",
        c_define_by_one(&s, c_lane_word(vector, "maskedstore", "maskedstore_mask"), s.a,
                        c_is_mask(vector) ? &store_mask : &store));
  put_place(e, access);
  c_put(e, ", ");
  c_put_mask(e, pm_arg(op, vec_maskedstore_mask), s.b);
  c_put(e, ", ");
  c_put_lanes(e, vector, s.a);
  c_put(e, ")");
}

static void put_scatter(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const c_template scatter = {"void", "$x *p, int64_t at, $B b, $A a", NULL, NULL,
                                     "p[at + (int64_t)$b] = $a"};
  static const c_template scatter_mask = {"void", "$x *p, int64_t at, $B b, $A a", NULL, NULL,
                                          "p[at + (int64_t)$b] = $a != 0"};
  const pm_value *vector = pm_arg(op, vec_scatter_value), *offsets = pm_arg(op, vec_scatter_offsets);
  const c_shape s = access_shape(e, vector, c_lane_scalar(e, offsets));
  c_put(e, "%s(",
        c_define_by_two(&s, c_lane_word(vector, "scatter", "scatter_mask"), s.a, s.b,
                        c_is_mask(vector) ? &scatter_mask : &scatter));
  put_place(e, access);
  c_put(e, ", ");
  c_expr(e, offsets, C_TERNARY);
  c_put(e, ", ");
  c_put_lanes(e, vector, s.a);
  c_put(e, ")");
}

static void put_maskedscatter(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const c_template scatter = {"void", "$x *p, int64_t at, $B b, $C c, $A a", NULL, NULL,
                                     "if ($c) p[at + (int64_t)$b] = $a"};
  static const c_template scatter_mask = {"void", "$x *p, int64_t at, $B b, $C c, $A a", NULL, NULL,
                                          "if ($c) p[at + (int64_t)$b] = $a != 0"};
  const pm_value *vector = pm_arg(op, vec_maskedscatter_value);
  const pm_value *offsets = pm_arg(op, vec_maskedscatter_offsets);
  c_shape s = access_shape(e, vector, c_lane_scalar(e, offsets));
  s.c = c_mask_scalar(c_bits_of(s.a));
  c_put(e, "%s(",
        c_define_by_two(&s, c_lane_word(vector, "maskedscatter", "maskedscatter_mask"), s.a, s.b,
                        c_is_mask(vector) ? &scatter_mask : &scatter));
  put_place(e, access);
  c_put(e, ", ");
  c_expr(e, offsets, C_TERNARY);
  c_put(e, ", ");
  c_put_mask(e, pm_arg(op, vec_maskedscatter_mask), s.c);
  c_put(e, ", ");
  c_put_lanes(e, vector, s.a);
  c_put(e, ")");
}

typedef struct access_row {
  const pm_op_desc *desc;
  void (*put)(c_emitter *e, const pm_op *op, const loop_access *access);
} access_row;

static const access_row access_rows[] = {
    {&vec_load, put_load},       {&vec_maskedload, put_maskedload},
    {&vec_gather, put_gather},   {&vec_maskedgather, put_maskedgather},
    {&vec_store, put_store},     {&vec_maskedstore, put_maskedstore},
    {&vec_scatter, put_scatter}, {&vec_maskedscatter, put_maskedscatter},
};

void c_vector_access(c_emitter *e, const pm_op *op) {
  loop_access access;
  if (!loop_find_access(op, &access)) pm_panic(op, "is no access");
  for (size_t i = 0; i < PM_COUNT(access_rows); i++)
    if (access_rows[i].desc == op->desc) access_rows[i].put(e, op, &access);
}
