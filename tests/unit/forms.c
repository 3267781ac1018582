/* Every row of arith, math, buf, vec and loop, on scalars, vectors and masks, as far as its row takes them:
 * the interpreter computes it, and the targets that make functions (c and llvm) compute the same bits or
 * refuse it with a diagnostic before they emit anything. Rows of one type and no attributes are tried as they
 * stand in the dialect, so that a new op needs nothing here; others have a snippet below, and one without
 * fails. Arguments are the dialects that are tried in place of all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "dialects/arith/arith.h"
#include "dialects/dialects.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/interpreter/interp.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "targets/target.h"
#include "tests/unit/emitted.h"

enum { COUNT = 24, MAX_PROGRAMS = 1024 };

static const char *const dialects[] = {"arith", "math", "buf", "vec", "loop"};
static char *const *chosen; /* names of dialects, or NULL: all */

/* Sanitizers need each path once, and i16 and u64 take those of i32. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FEW_TYPES
#endif
#endif
#ifdef FEW_TYPES
#define INTS PM_I1, PM_U8, PM_I32
#else
#define INTS PM_I1, PM_U8, PM_I16, PM_I32, PM_U64
#endif
static const pm_scalar ints[] = {INTS};
static const pm_scalar floats[] = {PM_F32, PM_F64};
static const pm_scalar numbers[] = {INTS, PM_F32, PM_F64};

/* A function f<number> that reads arrays a and b of `from` and m of i1, and writes o of `to`. */
typedef struct program {
  const char *op;
  pm_scalar from, to;
  bool tame; /* numbers in 0..100: conversions of others to integers are unspecified */
  bool refused;
} program;

typedef struct programs {
  program all[MAX_PROGRAMS];
  size_t n;
  pm_buf text, messages;
} programs;

static const char *name_of(pm_scalar scalar) {
  return pm_get_scalar_info(scalar)->name;
}

/* --- programs --- */

/* f32, or with lanes vector<4xf32> */
static void put_type(pm_buf *out, pm_scalar scalar, unsigned lanes) {
  pm_buf_printf(out, lanes ? "vector<%ux%s>" : "%.0u%s", lanes, name_of(scalar));
}

/* In a body, $A is the type of %a and %b, $R that of the result %r, $M that of %m; $e and $t are the elements
 * of A and R, $n the number of lanes. */
static void put_body(pm_buf *out, const program *p, unsigned lanes, const char *body) {
  for (; *body; body++) {
    if (*body != '$') {
      pm_buf_putc(out, *body);
      continue;
    }
    char word = *++body;
    if (word == 'n')
      pm_buf_printf(out, "%u", lanes);
    else
      put_type(out,
               word == 'M'                  ? PM_I1
               : word == 'R' || word == 't' ? p->to
                                            : p->from,
               word == 'e' || word == 't' ? 0 : lanes);
  }
}

static void put_load(pm_buf *out, char name, pm_scalar scalar, unsigned lanes) {
  pm_buf_printf(out, "%%%c = %s.load %%%c_all[%%x] : memref<?x%s>%s", name, lanes ? "vec" : "buf", name,
                name_of(scalar), lanes ? ", " : "");
  if (lanes) put_type(out, scalar, lanes);
  pm_buf_putc(out, '\n');
}

static void put_store(pm_buf *out, const program *p, unsigned lanes) {
  pm_buf_printf(out, "%s.store %%r, %%o[%%x] : memref<?x%s>%s", lanes ? "vec" : "buf", name_of(p->to),
                lanes ? ", " : "");
  if (lanes) put_type(out, p->to, lanes);
  pm_buf_puts(out, "\n}\n}\n");
}

/* Numbers that are hard to write: the ends of the type, NaN, infinite ones, -0, the least above 0. */
static void put_numbers(pm_buf *out, pm_scalar scalar) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  uint64_t top = scalar == PM_I1 ? 1 : UINT64_MAX >> (64 - info->bits);
  if (scalar == PM_F64)
    pm_buf_puts(out, "0x7FF8000000000000, 0xFFF0000000000000, 0x7FF0000000000000, -0.0, 0x1, 0.1");
  else if (info->is_float)
    pm_buf_puts(out, "0x7FC00000, 0xFF800000, 0x7F800000, -0.0, 0x1, 0.1");
  else if (info->is_signed)
    pm_buf_printf(out, "%lld, %llu, 0, 1, -1, 2", -(long long)(top >> 1) - 1, (unsigned long long)(top >> 1));
  else
    pm_buf_printf(out, "0, %llu, 1, 0, 1, 1", (unsigned long long)top);
}

static void add(programs *ps, program p, unsigned lanes, const char *body) {
  pm_buf *out = &ps->text;
  const char *from = name_of(p.from);
  assert_true(ps->n < MAX_PROGRAMS);
  pm_buf_printf(out,
                "loop.func @f%zu fp \"strict\" {\n%%n = loop.param @n : index\n"
                "%%a_all = buf.input @a(%%n) : memref<?x%s>\n%%b_all = buf.input @b(%%n) : memref<?x%s>\n"
                "%%m_all = buf.input @m(%%n) : memref<?xi1>\n%%o = buf.output @o(%%n) : memref<?x%s>\n"
                "%%k_all = buf.constant @k dense<6x%s: [",
                ps->n, from, from, name_of(p.to), from);
  put_numbers(out, p.from);
  pm_buf_printf(out,
                "]>\n%%c0 = arith.constant 0 : index\n%%c3 = arith.constant 3 : index\n"
                "%%ok = arith.cmp ge, %%n, %%c0 : index\nloop.require %%ok, \"n >= 0\"\n"
                "loop.parallel %%x = %%c0 to %%n step %u {\n"
                "%%rest = arith.remi %%x, %%c3 : index\n%%third = arith.cmp eq, %%rest, %%c0 : index\n",
                lanes ? lanes : 1);
  put_load(out, 'a', p.from, lanes);
  put_load(out, 'b', p.from, lanes);
  put_load(out, 'm', PM_I1, lanes);
  put_body(out, &p, lanes, body);
  put_store(out, &p, lanes);
  ps->all[ps->n++] = p;
}

/* --- rows of one type --- */

static bool is_uniform(const pm_op_desc *op) {
  return (op->traits & PM_SAME_TYPE) && (op->traits & PM_PURE) && !op->n_attrs && !op->n_regions &&
         op->n_results == 1 && op->variadic_arg < 0 && op->n_args >= 1 && op->n_args <= 3;
}

static void add_uniform(programs *ps, const pm_op_desc *op) {
  static const char *const operands[] = {"", "%a", "%a, %b", "%a, %b, %a"};
  int constraint = op->results[0].constraint;
  bool takes_ints = constraint == T_INT_LIKE || constraint == T_NUM_LIKE;
  bool takes_floats = constraint == T_FLOAT_LIKE || constraint == T_NUM_LIKE;
  char body[128];
  snprintf(body, sizeof body, "%%r = %s %s : $A\n", op->name, operands[op->n_args]);
  for (unsigned lanes = 0; lanes <= 4; lanes += 4) {
    for (size_t i = 0; takes_ints && i < PM_COUNT(ints); i++)
      add(ps, (program){op->name, ints[i], ints[i], false, false}, lanes, body);
    for (size_t i = 0; takes_floats && i < PM_COUNT(floats); i++)
      add(ps, (program){op->name, floats[i], floats[i], false, false}, lanes, body);
  }
}

/* --- other rows --- */

enum {
  SCALARS = 1 << 0, /* tried on scalars */
  VECTORS = 1 << 1, /* on vectors and masks */
  TO_BOOL = 1 << 2, /* the result is i1, else of the operands' type */
  TO_INTS = 1 << 3, /* one result of each type of integers */
  TO_ALL = 1 << 4,  /* one of each type */
  NO_FLOATS = 1 << 5,
  TO_SAME_WIDTH = 1 << 6 /* one of each type of as many bits */
};

/* The cell is another for each thread, so that the result is one. */
#define ATOMIC(kind)                                                                                         \
  "%t = buf.alloc() : memref<2x$e, stack>\nbuf.store %b, %t[1] : memref<2x$e, stack>\n"                      \
  "buf.atomic " kind ", %a, %t[1] : memref<2x$e, stack>\n%r = buf.load %t[1] : memref<2x$e, stack>\n"

/* A snippet for the op, and for those that it needs. */
static const struct snippet {
  const pm_op_desc *op;
  unsigned how;
  const char *body;
} snippets[] = {
    {&arith_constant, SCALARS | NO_FLOATS, "%r = arith.constant 1 : $e\n"},
    {&arith_constant, VECTORS | NO_FLOATS, "%r = arith.constant 1 : $e : $A\n"},
    {&arith_cmp, SCALARS | VECTORS | TO_BOOL, "%r = arith.cmp lt, %a, %b : $A\n"},
    {&arith_cmp, SCALARS | VECTORS | TO_BOOL, "%r = arith.cmp ne, %a, %b : $A\n"},
    {&arith_select, SCALARS, "%r = arith.select %m, %a, %b : $A\n"},
    {&arith_select, VECTORS, "%r = arith.select %m, %a, %b : $M, $A\n"},
    {&arith_select, VECTORS, "%r = arith.select %third, %a, %b : i1, $A\n"},
    {&arith_cast, SCALARS | VECTORS | TO_ALL, "%r = arith.cast %a : ($A) -> $R\n"},
    {&arith_sat_cast, SCALARS | VECTORS | TO_INTS, "%r = arith.sat_cast %a : ($A) -> $R\n"},
    {&arith_bitcast, SCALARS | VECTORS | TO_SAME_WIDTH, "%r = arith.bitcast %a : ($A) -> $R\n"},
    {&buf_alloc, SCALARS,
     "%t = buf.alloc() : memref<2x$e, heap>\nbuf.store %a, %t[1] : memref<2x$e, heap>\n"
     "%r = buf.load %t[1] : memref<2x$e, heap>\n"},
    {&buf_alloc, SCALARS,
     "%t = buf.alloc() : memref<2x$e, stack>\nbuf.store %a, %t[1] : memref<2x$e, stack>\n"
     "%r = buf.load %t[1] : memref<2x$e, stack>\n"},
    {&buf_alloc, SCALARS,
     "%t = buf.alloc() : memref<2x$e, thread>\nbuf.store %a, %t[1] : memref<2x$e, thread>\n"
     "%r = buf.load %t[1] : memref<2x$e, thread>\n"},
    {&buf_constant, SCALARS, "%r = buf.load %k_all[%x mod 6] : memref<6x$e>\n"},
    {&buf_constant, VECTORS,
     "%two = arith.constant 1 : i32 : vector<$nxi32>\n%k = vec.step : vector<$nxi32>\n"
     "%d = arith.addi %k, %two : vector<$nxi32>\n"
     "%r = vec.gather %k_all[0] [%d] : memref<6x$e>, vector<$nxi32> into $A\n"},
    {&buf_atomic, SCALARS | NO_FLOATS, ATOMIC("add")},
    {&buf_atomic, SCALARS | NO_FLOATS, ATOMIC("min")},
    {&buf_atomic, SCALARS | NO_FLOATS, ATOMIC("max")},
    {&buf_atomic, SCALARS | NO_FLOATS, ATOMIC("and")},
    {&buf_atomic, SCALARS | NO_FLOATS, ATOMIC("or")},
    {&buf_prefetch, SCALARS,
     "buf.prefetch %a_all[%x + 9] : memref<?x$e>\n%r = buf.load %a_all[%x] : memref<?x$e>\n"},
    {&buf_fence, SCALARS, "buf.fence\n%r = buf.load %a_all[%x] : memref<?x$e>\n"},
    {&loop_barrier, SCALARS, "loop.barrier\n%r = buf.load %a_all[%x] : memref<?x$e>\n"},
    {&loop_call, SCALARS,
     "%t = buf.alloc() : memref<2x$e, stack>\nloop.call @keep_$e(%a, %t) : $e, memref<2x$e, stack>\n"
     "%r = buf.load %t[1] : memref<2x$e, stack>\n"},
    {&loop_for, SCALARS | VECTORS,
     "%r = loop.for %k = %c0 to %c3 step 1 carry(%p = %a) : ($A) {\n"
     "%odd = arith.cmp eq, %k, %rest : index\n"
     "%q = loop.if %odd : ($A) {\nloop.yield %b : $A\n} else {\nloop.yield %p : $A\n}\n"
     "loop.yield %q : $A\n}\n"},
    {&vec_load, VECTORS, "%r = vec.load %b_all[%x] : memref<?x$e>, $A\n"},
    {&vec_maskedload, VECTORS, "%r = vec.maskedload %b_all[%x], %m, %a : memref<?x$e>, $M, $A into $A\n"},
    {&vec_maskedstore, VECTORS,
     "vec.maskedstore %o[%x], %m, %a : memref<?x$e>, $M, $A\n%r = arith.select %m, %a, %b : $M, $A\n"},
    {&vec_gather, VECTORS,
     "%at = arith.constant 1 : i32 : vector<$nxi32>\n%k = vec.step : vector<$nxi32>\n"
     "%d = arith.xori %k, %at : vector<$nxi32>\n"
     "%r = vec.gather %a_all[%x] [%d] : memref<?x$e>, vector<$nxi32> into $A\n"},
    {&vec_gather, VECTORS,
     "%d = arith.constant 0 : i32 : vector<1xi32>\n"
     "%r = vec.gather %a_all[%x] [%d] : memref<?x$e>, vector<1xi32> into $A\n"},
    {&vec_maskedgather, VECTORS,
     "%at = arith.constant 1 : i32 : vector<$nxi32>\n%k = vec.step : vector<$nxi32>\n"
     "%d = arith.xori %k, %at : vector<$nxi32>\n"
     "%r = vec.maskedgather %a_all[%x] [%d], %m, %b : memref<?x$e>, vector<$nxi32>, $M, $A into $A\n"},
    {&vec_scatter, VECTORS,
     "%at = arith.constant 1 : i32 : vector<$nxi32>\n%k = vec.step : vector<$nxi32>\n"
     "%d = arith.xori %k, %at : vector<$nxi32>\n%t = buf.alloc() : memref<$nx$e, stack>\n"
     "vec.scatter %t[0] [%d], %a : memref<$nx$e, stack>, vector<$nxi32>, $A\n"
     "%r = vec.load %t[0] : memref<$nx$e, stack>, $A\n"},
    {&vec_maskedscatter, VECTORS,
     "%at = arith.constant 1 : i32 : vector<$nxi32>\n%k = vec.step : vector<$nxi32>\n"
     "%d = arith.xori %k, %at : vector<$nxi32>\n%t = buf.alloc() : memref<$nx$e, stack>\n"
     "vec.store %b, %t[0] : memref<$nx$e, stack>, $A\n"
     "vec.maskedscatter %t[0] [%d], %m, %a : memref<$nx$e, stack>, vector<$nxi32>, $M, $A\n"
     "%r = vec.load %t[0] : memref<$nx$e, stack>, $A\n"},
    {&arith_addsat, SCALARS | NO_FLOATS,
     "%i = arith.cast %a : ($e) -> index\n%j = arith.cast %b : ($e) -> index\n"
     "%s = arith.addsat %i, %j : index\n%r = arith.cast %s : (index) -> $e\n"},
    {&arith_mulsat, SCALARS | NO_FLOATS,
     "%i = arith.cast %a : ($e) -> index\n%j = arith.cast %b : ($e) -> index\n"
     "%s = arith.mulsat %i, %j : index\n%r = arith.cast %s : (index) -> $e\n"},
    {&loop_thread, SCALARS | NO_FLOATS,
     "%t = loop.thread : () -> index\n%r = arith.cast %t : (index) -> $e\n"},
    {&loop_threads, SCALARS | NO_FLOATS,
     "%t = loop.threads : () -> index\n%r = arith.cast %t : (index) -> $e\n"},
    {&buf_nonnull, SCALARS,
     "%q = buf.nonnull %a_all : (memref<?x$e>) -> i1\n%r = arith.select %q, %a, %b : $e\n"},
    {&vec_reduce, VECTORS, "%s = vec.reduce add, %a : $A\n%r = vec.splat %s : ($e) -> $A\n"},
    {&vec_reduce, VECTORS, "%s = vec.reduce max, %a : $A\n%r = vec.splat %s : ($e) -> $A\n"},
    {&vec_splat, VECTORS, "%s = buf.load %a_all[%x] : memref<?x$e>\n%r = vec.splat %s : ($e) -> $A\n"},
    {&vec_from_elements, VECTORS,
     "%s = vec.extract %a[2] : $e from $A\n%t = vec.extract %b[1] : $e from $A\n"
     "%r = vec.from_elements %s, %t, %t, %s : ($e, $e, $e, $e) -> $A\n"},
    {&vec_step, VECTORS | NO_FLOATS, "%r = vec.step : $A\n"},
    {&vec_shuffle, VECTORS, "%r = vec.shuffle %a, %b [3, 4, 0, 7] : $A, $A\n"},
    {&vec_extract, VECTORS, "%s = vec.extract %a[2] : $e from $A\n%r = vec.splat %s : ($e) -> $A\n"},
    {&vec_insert, VECTORS, "%s = vec.extract %a[2] : $e from $A\n%r = vec.insert %s, %b[1] : $e into $A\n"},
};

/* What is called: keep_f32 puts a value into the second cell of an array. */
static void add_called(programs *ps) {
  for (size_t i = 0; i < PM_COUNT(numbers); i++) {
    const char *e = name_of(numbers[i]);
    pm_buf_printf(
        &ps->text,
        "loop.func private @keep_%s fp \"strict\" {\n%%v = loop.param @v : %s\n"
        "%%t = buf.argument @t() : memref<2x%s, stack>\nbuf.store %%v, %%t[1] : memref<2x%s, stack>\n}\n",
        e, e, e, e);
  }
}

/* Ops whose verify hook takes none though their row does. */
static bool takes_no_masks(const pm_op_desc *op) {
  return op == &vec_step || op == &loop_require || op == &buf_nonnull;
}

static bool takes_no_vectors(const pm_op_desc *op) {
  return op == &loop_call || op == &buf_alloc || op == &buf_atomic;
}

static bool has_width_of(pm_scalar a, pm_scalar b) {
  return pm_get_scalar_info(a)->bits == pm_get_scalar_info(b)->bits;
}

static void add_results(programs *ps, const struct snippet *s, pm_scalar from, unsigned lanes) {
  bool tame = s->op == &arith_cast && pm_get_scalar_info(from)->is_float;
  if (!(s->how & (TO_INTS | TO_ALL | TO_SAME_WIDTH))) {
    add(ps, (program){s->op->name, from, s->how & TO_BOOL ? PM_I1 : from, tame, false}, lanes, s->body);
    return;
  }
  for (size_t i = 0; i < (s->how & TO_INTS ? PM_COUNT(ints) : PM_COUNT(numbers)); i++)
    if (!(s->how & TO_SAME_WIDTH) || has_width_of(from, numbers[i]))
      add(ps, (program){s->op->name, from, numbers[i], tame, false}, lanes, s->body);
}

static void add_snippet(programs *ps, const struct snippet *s) {
  for (size_t i = 0; i < (s->how & NO_FLOATS ? PM_COUNT(ints) : PM_COUNT(numbers)); i++) {
    if ((s->how & SCALARS) && !(numbers[i] == PM_I1 && s->op == &buf_atomic))
      add_results(ps, s, numbers[i], 0);
    if ((s->how & VECTORS) && !(numbers[i] == PM_I1 && takes_no_masks(s->op)))
      add_results(ps, s, numbers[i], 4);
  }
}

static bool is_chosen(const pm_op_desc *op) {
  size_t length = strcspn(op->name, ".");
  for (char *const *name = chosen; name && *name; name++)
    if (strlen(*name) == length && !strncmp(op->name, *name, length)) return true;
  return !chosen;
}

/* --- which classes a row takes --- */

static unsigned classes_of_constraint(int constraint) {
  switch (constraint) {
  case T_ANY:
  case T_INT_LIKE:
  case T_NUM_LIKE:
    return PM_FORM_ANY;
  case T_FLOAT_LIKE:
    return PM_FORM_SCALAR | PM_FORM_VECTOR;
  case T_BOOL_LIKE:
    return PM_FORM_SCALAR | PM_FORM_MASK;
  case T_VECTOR:
    return PM_FORM_VECTOR | PM_FORM_MASK;
  default:
    return PM_FORM_SCALAR;
  }
}

/* Of the first row that may be a vector, which of a scatter are the offsets; an op with a T_VECTOR is never
 * one of scalars. */
static unsigned classes_of(const pm_op_desc *op) {
  const pm_row *lists[] = {op->results, op->args};
  unsigned classes = PM_FORM_SCALAR;
  bool has_vector = false;
  for (size_t l = 0; l < PM_COUNT(lists); l++)
    for (const pm_row *row = lists[l]; row->kind != PM_ROW_END; row++) {
      if (classes == PM_FORM_SCALAR) classes = classes_of_constraint(row->constraint);
      has_vector |= row->constraint == T_VECTOR;
    }
  if (has_vector) classes &= ~(unsigned)PM_FORM_SCALAR;
  if (takes_no_vectors(op)) return PM_FORM_SCALAR;
  if (op == &vec_scatter || op == &vec_maskedscatter) return PM_FORM_VECTOR;
  return takes_no_masks(op) ? classes & ~(unsigned)PM_FORM_MASK : classes;
}

/* The target's own passes make it, of every program with heap memory. */
static bool is_made_later(const pm_op_desc *op) {
  return op == &buf_workspace;
}

static pm_walk see(void *user, pm_op *op) {
  pm_map *seen = user;
  uintptr_t classes = (uintptr_t)pm_map_get(seen, op->desc) | pm_op_class(op);
  pm_map_set(seen, op->desc, (void *)classes);
  return PM_WALK_ON;
}

static void check_all_seen(pm_context *ctx, pm_module *module) {
  pm_map *seen = pm_map_new();
  (void)pm_walk_pre(pm_module_op(module), see, seen);
  for (size_t d = 0; d < pm_dialect_count(ctx); d++) {
    const pm_dialect *dialect = pm_dialect_at(ctx, d);
    for (size_t i = 0; i < PM_COUNT(dialects); i++)
      for (const pm_op_desc *const *op = dialect->ops; !strcmp(dialect->name, dialects[i]) && *op; op++) {
        unsigned missing = classes_of(*op) & ~(unsigned)(uintptr_t)pm_map_get(seen, *op);
        if (missing && is_chosen(*op) && !is_made_later(*op))
          fail_msg("%s is in no program for the classes %x: give it a snippet", (*op)->name, missing);
      }
  }
  pm_map_free(seen);
}

/* --- data --- */

static pm_lane sample(pm_scalar scalar, unsigned i, bool tame) {
  double value = (double)(i * 37 % 100) + 0.25;
  pm_lane lane = emitted_sample(scalar, i);
  if (scalar == PM_I1) lane.i &= 1;
  if (tame && scalar == PM_F64) lane.d = value;
  if (tame && scalar == PM_F32) lane.f = (float)value;
  return lane;
}

static void fill(pm_scalar scalar, char *cells, unsigned factor, unsigned first, bool tame) {
  pm_lane lanes[COUNT];
  for (unsigned i = 0; i < COUNT; i++) lanes[i] = sample(scalar, i * factor + first, tame);
  arith_store_lanes(scalar, lanes, cells, 1, COUNT);
}

/* --- running --- */

typedef int (*emitted_fn)(int64_t n, const void *a, const void *b, const void *m, void *o);

static void run_program(programs *ps, size_t i, pm_op *func, void *library) {
  const program *p = &ps->all[i];
  char a[COUNT * 8], b[COUNT * 8], m[COUNT], want[COUNT * 8] = {0}, have[COUNT * 8] = {0}, name[16];
  pm_lane n = {.i = COUNT};
  fill(p->from, a, 1, 0, p->tame);
  fill(p->from, b, 5, 3, p->tame);
  fill(PM_I1, m, 3, 1, false);
  pm_array inputs[] = {{p->from, 1, {COUNT}, a}, {p->from, 1, {COUNT}, b}, {PM_I1, 1, {COUNT}, m}};
  pm_array output = {p->to, 1, {COUNT}, want};
  pm_call call = {&n, 1, inputs, 3, &output, 1};
  if (!loop_interpret(func, &call, &(loop_interp_options){0}))
    fail_msg("%s on %s: the interpreter: %s", p->op, name_of(p->from), ps->messages.data);
  if (p->refused) return;
  snprintf(name, sizeof name, "f%zu", i);
  void *symbol = dlsym(library, name);
  emitted_fn function;
  assert_non_null(symbol);
  memcpy(&function, &symbol, sizeof function);
  assert_int_equal(function(COUNT, a, b, m, have), 0);
  size_t bytes = pm_scalar_bytes(p->to);
  for (size_t k = 0; k < COUNT; k++)
    if (!emitted_same_cell(p->to, want + k * bytes, have + k * bytes))
      fail_msg("f%zu, %s from %s to %s: element %zu differs", i, p->op, name_of(p->from), name_of(p->to), k);
}

/* What the target refuses it says, and nothing else is left to be emitted. */
static void take_out_refused(programs *ps, const pm_target *target, pm_module *module) {
  size_t i = 0;
  for (pm_op *func = pm_module_body(module)->first, *next; func; func = next) {
    size_t said = ps->messages.len;
    next = func->next;
    if (loop_is_private(func)) continue;
    ps->all[i].refused = !pm_target_check(target, func);
    if (ps->all[i].refused != (ps->messages.len > said))
      fail_msg("%s on %s is refused without a word", ps->all[i].op, name_of(ps->all[i].from));
    if (ps->all[i].refused) pm_op_erase(func);
    i++;
  }
}

static void collect(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%s\n", diag->message);
}

static void add_all(programs *ps, pm_context *ctx) {
  for (size_t d = 0; d < PM_COUNT(dialects); d++)
    for (size_t k = 0; k < pm_dialect_count(ctx); k++) {
      const pm_dialect *dialect = pm_dialect_at(ctx, k);
      if (strcmp(dialect->name, dialects[d]) != 0) continue;
      for (const pm_op_desc *const *op = dialect->ops; *op; op++)
        if (is_chosen(*op) && is_uniform(*op)) add_uniform(ps, *op);
    }
  for (size_t i = 0; i < PM_COUNT(snippets); i++)
    if (is_chosen(snippets[i].op)) add_snippet(ps, &snippets[i]);
  if (!ps->n) fail_msg("no dialect that is tried has this name");
  add_called(ps);
}

static pm_module *parse(programs *ps, pm_context *ctx) {
  pm_module *module = pm_parse_module(ctx, "test", ps->text.data, ps->text.len, true);
  if (!module) fail_msg("%s", ps->messages.data);
  return module;
}

/* A shared object of what the target makes. */
typedef void *(*library_fn)(const pm_target *target, const pm_target_output *text);

static void every_row_in_every_class(const char *name, library_fn make_library) {
  programs *ps = calloc(1, sizeof *ps);
  pm_context *ctx = pm_context_new();
  pm_target_output c = {0};
  pm_register_all_dialects(ctx);
  pm_register_all_targets(ctx);
  pm_register_all_passes(ctx);
  pm_set_diag_handler(ctx, collect, &ps->messages);
  pm_set_max_errors(ctx, 0);
  const pm_target *target = pm_find_target(ctx, name);
  add_all(ps, ctx);
  pm_module *all = parse(ps, ctx), *taken = parse(ps, ctx);
  check_all_seen(ctx, all);
  take_out_refused(ps, target, taken);
  emitted_finish(taken);
  if (!pm_emit(target, taken, "f.h", &c)) fail_msg("%s", ps->messages.data);
  void *library = make_library(target, &c);
  size_t i = 0;
  PM_FOR_OPS(func, pm_module_body(all))
  if (!loop_is_private(func)) run_program(ps, i++, func, library);
  printf("%zu programs; refused:\n%s", ps->n, ps->messages.data ? ps->messages.data : "");
  dlclose(library);
  pm_target_output_free(&c);
  pm_module_free(taken);
  pm_module_free(all);
  pm_context_free(ctx);
  pm_buf_free(&ps->text);
  pm_buf_free(&ps->messages);
  free(ps);
}

static void *library_of_c(const pm_target *target, const pm_target_output *text) {
  const char *const command = "cc -O0 -Wall -Wextra -Wl,-z,defs";
  void *library;
  (void)target;
  emitted_compile(text, &command, 1, &library);
  return library;
}

static void every_row_in_c(void **state) {
  (void)state;
  every_row_in_every_class("c", library_of_c);
}

#ifdef PM_WITH_LLVM
static void *library_of_object(const pm_target *target, const pm_target_output *text) {
  const pm_build_options options = {.base = "f", .fp = "strict"};
  pm_buf object = {0};
  pm_report report = {0};
  if (target->compile(text, "o", &options, &object, &report) != PM_OUTCOME_OK)
    fail_msg("%s", report.error.data);
  void *library = emitted_link(&object);
  pm_buf_free(&object);
  return library;
}

static void every_row_in_llvm(void **state) {
  (void)state;
  every_row_in_every_class("llvm", library_of_object);
}
#endif

int main(int argc, char *argv[]) {
  if (argc > 1) chosen = argv + 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_in_c),
#ifdef PM_WITH_LLVM
      cmocka_unit_test(every_row_in_llvm),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
