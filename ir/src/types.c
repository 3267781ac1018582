#include "ir/types.h"

#include "ir/attributes.h"
#include "ir/diag.h"
#include "ir/src/context_private.h"
#include "ir/src/parser.h"

#include <stdlib.h>
#include <string.h>

static const pm_scalar_info scalar_infos[PM_N_SCALARS + 1] = {
    [PM_I1] = {"i1", 1, false, false},
    [PM_I8] = {"i8", 8, false, true},
    [PM_I16] = {"i16", 16, false, true},
    [PM_I32] = {"i32", 32, false, true},
    [PM_I64] = {"i64", 64, false, true},
    [PM_U8] = {"u8", 8, false, false},
    [PM_U16] = {"u16", 16, false, false},
    [PM_U32] = {"u32", 32, false, false},
    [PM_U64] = {"u64", 64, false, false},
    [PM_F16] = {"f16", 16, true, true},
    [PM_BF16] = {"bf16", 16, true, true},
    [PM_F32] = {"f32", 32, true, true},
    [PM_F64] = {"f64", 64, true, true},
    [PM_INDEX] = {"index", 64, false, true},
    [PM_N_SCALARS] = {"no scalar", 0, false, false},
};

const pm_scalar_info *pm_get_scalar_info(pm_scalar scalar) {
  return &scalar_infos[scalar];
}

static const pm_space_info space_infos[PM_N_SPACES] = {
#define SPACE(name, word, flags, doc) [PM_SPACE_##name] = {word, flags, doc},
#include "ir/spaces.def"
#undef SPACE
};

const pm_space_info *pm_get_space_info(pm_space space) {
  return &space_infos[space];
}

void pm_put_spaces(pm_buf *out, unsigned flags, const char *quote) {
  unsigned left = 0;
  for (unsigned s = 1; s < PM_N_SPACES; s++) left += (space_infos[s].flags & flags) != 0;
  for (unsigned s = 1; s < PM_N_SPACES; s++) {
    if (!(space_infos[s].flags & flags)) continue;
    left--;
    pm_buf_printf(out, "%s%s%s%s", quote, space_infos[s].name, quote, left > 1 ? ", " : left ? " or " : "");
  }
}

/* The word for a space, where NONE has the one given. */
static const char *space_word(unsigned space, const char *none) {
  return space ? space_infos[space].name : none;
}

static bool unknown_space(pm_context *ctx, pm_loc loc, pm_str name, const char *none) {
  unsigned best = pm_typo_limit(name.len), nearest = PM_N_SPACES;
  for (unsigned s = none ? 0 : 1; s < PM_N_SPACES; s++) {
    unsigned distance = pm_edit_distance(pm_str_of(space_word(s, none)), name, best);
    if (distance < best) best = distance, nearest = s;
  }
  pm_buf rest = {0};
  if (nearest < PM_N_SPACES) {
    pm_buf_printf(&rest, "; did you mean '%s'?", space_word(nearest, none));
  } else {
    pm_buf_printf(&rest, ", which should be %s%s", none ? none : "", none ? ", " : "");
    pm_put_spaces(&rest, ~0u, "");
  }
  pm_error(ctx, loc, "unknown memory space '%.*s'%s", (int)name.len, name.ptr, rest.data);
  pm_buf_free(&rest);
  return false;
}

bool pm_parse_space(pm_context *ctx, pm_loc loc, pm_str name, const char *none, pm_space *space) {
  for (unsigned s = none ? 0 : 1; s < PM_N_SPACES; s++) {
    *space = (pm_space)s;
    if (pm_str_is(name, space_word(s, none))) return true;
  }
  return unknown_space(ctx, loc, name, none);
}

void pm_types_init(pm_context *ctx) {
  for (int s = 0; s < PM_N_SCALARS; s++) {
    struct pm_type_storage *t = pm_arena_alloc(ctx->arena, sizeof *t);
    *t = (struct pm_type_storage){.ctx = ctx, .cls = PM_TYPE_SCALAR, .scalar = (uint8_t)s};
    ctx->scalars[s] = t;
  }
}

pm_type pm_get_scalar(pm_context *ctx, pm_scalar scalar) {
  return ctx->scalars[scalar];
}

/* As a memref's strides, which both have or lack. */
static bool strides_equal(pm_type a, pm_type b) {
  if (!a->strides || !b->strides) return a->strides == b->strides;
  return memcmp(a->strides, b->strides, a->rank * sizeof *a->strides) == 0;
}

static bool type_equal(const void *item, const void *key) {
  pm_type a = item, b = key;
  return a->cls == b->cls && a->scalar == b->scalar && a->rank == b->rank && a->lanes == b->lanes &&
         a->space == b->space && a->kind == b->kind && a->params == b->params && a->elem == b->elem &&
         (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0) && strides_equal(a, b);
}

static uint32_t type_hash(pm_type t) {
  uint64_t head[] = {t->cls,
                     t->scalar,
                     t->rank,
                     t->lanes,
                     t->space,
                     (uintptr_t)t->kind,
                     (uintptr_t)t->params,
                     (uintptr_t)t->elem};
  uint64_t h = pm_hash_bytes(head, sizeof head, 2);
  if (t->rank) h = pm_hash_bytes(t->dims, t->rank * sizeof *t->dims, h);
  return (uint32_t)(t->strides ? pm_hash_bytes(t->strides, t->rank * sizeof *t->strides, h) : h);
}

static pm_type intern_type(struct pm_type_storage key) {
  pm_context *ctx = key.ctx;
  uint32_t hash = type_hash(&key);
  pm_type found = pm_intern_find(&ctx->types, hash, type_equal, &key);
  if (found) return found;
  struct pm_type_storage *t = pm_arena_memdup(ctx->arena, &key, sizeof key);
  t->dims = key.rank ? pm_arena_memdup(ctx->arena, key.dims, key.rank * sizeof *key.dims) : NULL;
  t->strides = key.strides ? pm_arena_memdup(ctx->arena, key.strides, key.rank * sizeof *key.strides) : NULL;
  pm_intern_add(&ctx->types, hash, t);
  return t;
}

pm_type pm_get_vector(pm_type elem, uint32_t lanes) {
  return intern_type((struct pm_type_storage){
      .ctx = elem->ctx, .cls = PM_TYPE_VECTOR, .scalar = elem->scalar, .lanes = lanes});
}

pm_type pm_get_memref(pm_type elem, uint16_t rank, const int64_t *dims, pm_space space) {
  return intern_type((struct pm_type_storage){.ctx = elem->ctx,
                                              .cls = PM_TYPE_MEMREF,
                                              .scalar = elem->scalar,
                                              .rank = rank,
                                              .dims = dims,
                                              .space = (uint8_t)space,
                                              .elem = elem->cls == PM_TYPE_CUSTOM ? elem : NULL});
}

pm_type pm_get_custom_type(const pm_type_kind *kind, pm_attr params) {
  return intern_type((struct pm_type_storage){
      .ctx = params->ctx, .cls = PM_TYPE_CUSTOM, .scalar = PM_N_SCALARS, .kind = kind, .params = params});
}

pm_type pm_get_strided(pm_type memref, const int64_t *strides) {
  struct pm_type_storage key = *memref;
  key.strides = memref->rank ? strides : NULL;
  return intern_type(key);
}

pm_type pm_get_tuple(const pm_type *elems, uint16_t n) {
  int64_t *scalars = pm_xcalloc(n, sizeof *scalars);
  for (unsigned i = 0; i < n; i++) scalars[i] = elems[i]->scalar;
  pm_type type = intern_type((struct pm_type_storage){
      .ctx = elems[0]->ctx, .cls = PM_TYPE_TUPLE, .scalar = PM_N_SCALARS, .rank = n, .dims = scalars});
  free(scalars);
  return type;
}

pm_type pm_tuple_at(pm_type type, unsigned i) {
  return type->cls == PM_TYPE_TUPLE ? type->ctx->scalars[type->dims[i]] : type;
}

pm_type pm_elem_type(pm_type type) {
  if (type->elem || type->cls == PM_TYPE_CUSTOM) return type->elem ? type->elem : type;
  return type->ctx->scalars[type->scalar];
}

pm_type pm_with_scalar(pm_type like, pm_scalar scalar) {
  struct pm_type_storage key = *like;
  key.scalar = (uint8_t)scalar;
  return like->cls == PM_TYPE_SCALAR ? pm_get_scalar(like->ctx, scalar) : intern_type(key);
}

size_t pm_element_bytes(pm_type type) {
  if (type->cls != PM_TYPE_TUPLE) return pm_scalar_bytes((pm_scalar)type->scalar);
  size_t bytes = 0;
  for (unsigned i = 0; i < type->rank; i++) bytes += pm_scalar_bytes((pm_scalar)type->dims[i]);
  return bytes;
}

static void print_strides(pm_buf *out, pm_type t) {
  for (unsigned i = 0; i < t->rank; i++) {
    pm_buf_puts(out, i ? ", " : ", strided<[");
    if (t->strides[i] == PM_DYNAMIC)
      pm_buf_putc(out, '?');
    else
      pm_buf_printf(out, "%lld", (long long)t->strides[i]);
  }
  pm_buf_puts(out, "]>");
}

static void print_memref(pm_buf *out, pm_type t) {
  pm_buf_puts(out, "memref<");
  for (unsigned i = 0; i < t->rank; i++) {
    if (t->dims[i] == PM_DYNAMIC)
      pm_buf_puts(out, "?x");
    else
      pm_buf_printf(out, "%lldx", (long long)t->dims[i]);
  }
  pm_print_type(out, pm_elem_type(t));
  if (t->strides) print_strides(out, t);
  if (t->space) pm_buf_printf(out, ", %s", pm_get_space_info(t->space)->name);
  pm_buf_putc(out, '>');
}

static void print_tuple(pm_buf *out, pm_type t) {
  for (unsigned i = 0; i < t->rank; i++)
    pm_buf_printf(out, "%s%s", i ? ", " : "(", scalar_infos[t->dims[i]].name);
  pm_buf_putc(out, ')');
}

static void print_custom(pm_buf *out, pm_type t) {
  pm_buf_printf(out, "!%s", t->kind->name);
  pm_print_params(out, t->params->items, t->params->len);
}

void pm_print_type(pm_buf *out, pm_type t) {
  if (t->cls == PM_TYPE_MEMREF)
    print_memref(out, t);
  else if (t->cls == PM_TYPE_TUPLE)
    print_tuple(out, t);
  else if (t->cls == PM_TYPE_CUSTOM)
    print_custom(out, t);
  else if (t->cls == PM_TYPE_VECTOR)
    pm_buf_printf(out, "vector<%ux%s>", t->lanes, scalar_infos[t->scalar].name);
  else
    pm_buf_puts(out, scalar_infos[t->scalar].name);
}
