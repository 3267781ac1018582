#include "tools/lib/check_target/forms.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "ir/text.h"
#include "tools/lib/check_target/data.h"

#include <stdlib.h>
#include <string.h>

static const char *const dialects[] = {"arith", "math", "buf", "vec", "loop"};

static const char *name_of(pm_scalar scalar) {
  return pm_get_scalar_info(scalar)->name;
}

static bool is_float(pm_scalar scalar) {
  return pm_get_scalar_info(scalar)->is_float;
}

/* --- which ops and types --- */

static bool is_named(const pm_op_desc *op, const char *filter) {
  size_t n = strlen(filter);
  return strncmp(op->name, filter, n) == 0 && (!op->name[n] || op->name[n] == '.');
}

static bool is_chosen(const pm_check_choice *choice, const pm_op_desc *op) {
  for (size_t i = 0; i < choice->filters.len; i++)
    if (is_named(op, choice->filters.data[i])) return true;
  return !choice->filters.len;
}

typedef void (*with_op)(void *user, const pm_op_desc *op);

static void each_op(const pm_context *ctx, const pm_check_choice *choice, with_op with, void *user) {
  for (size_t d = 0; d < PM_COUNT(dialects); d++)
    for (size_t k = 0; k < pm_dialect_count(ctx); k++) {
      const pm_dialect *dialect = pm_dialect_at(ctx, k);
      if (strcmp(dialect->name, dialects[d]) != 0) continue;
      for (const pm_op_desc *const *op = dialect->ops; *op; op++)
        if (is_chosen(choice, *op)) with(user, *op);
    }
}

static bool is_type(pm_scalar scalar, bool with_floats, bool with_ints) {
  return is_float(scalar) ? with_floats : with_ints;
}

/* --- text --- */

/* A function that reads arrays a and b of `from` and m of i1, and writes o of `to`. */
typedef struct form {
  pm_check_programs *programs;
  const pm_check_choice *choice;
  const pm_op_desc *op;
  const char *body;
  pm_scalar from, to;
  unsigned lanes; /* 0: scalars */
  size_t turn;    /* of the lanes */
  bool is_tame, calls;
} form;

/* f32, or with lanes vector<4xf32> */
static void put_type(pm_buf *out, pm_scalar scalar, unsigned lanes) {
  if (lanes)
    pm_buf_printf(out, "vector<%ux%s>", lanes, name_of(scalar));
  else
    pm_buf_puts(out, name_of(scalar));
}

static void put_shuffle(pm_buf *out, const form *f) {
  for (unsigned i = 0; i < f->lanes; i++)
    pm_buf_printf(out, "%s%u", i ? ", " : "", (5 * i + 3) % (2 * f->lanes));
}

/* `%s, %t, %t, …`, or the type of each. */
static void put_elements(pm_buf *out, const form *f, bool types) {
  for (unsigned i = 0; i < f->lanes; i++)
    pm_buf_printf(out, "%s%s", i ? ", " : "", types ? name_of(f->from) : i % 3 == 0 ? "%s" : "%t");
}

static void put_word(pm_buf *out, const form *f, char word) {
  switch (word) {
  case 'n':
  case 'l':
    pm_buf_printf(out, "%u", f->lanes - (word == 'l'));
    break;
  case 'f':
    pm_buf_printf(out, "%zu", f->programs->len);
    break;
  case 's':
    put_shuffle(out, f);
    break;
  case 'v':
  case 'w':
    put_elements(out, f, word == 'w');
    break;
  case 'M':
    put_type(out, PM_I1, f->lanes);
    break;
  default:
    put_type(out, word == 'R' || word == 't' ? f->to : f->from, word == 'e' || word == 't' ? 0 : f->lanes);
  }
}

static void put_body(pm_buf *out, const form *f) {
  for (const char *c = f->body; *c; c++)
    if (*c == '$')
      put_word(out, f, *++c);
    else
      pm_buf_putc(out, *c);
}

static void put_load(pm_buf *out, char name, pm_scalar scalar, unsigned lanes) {
  pm_buf_printf(out, "%%%c = %s.load %%%c_all[%%x] : memref<?x%s>%s", name, lanes ? "vec" : "buf", name,
                name_of(scalar), lanes ? ", " : "");
  if (lanes) put_type(out, scalar, lanes);
  pm_buf_putc(out, '\n');
}

static void put_store(pm_buf *out, const form *f) {
  pm_buf_printf(out, "%s.store %%r, %%o[%%x] : memref<?x%s>%s", f->lanes ? "vec" : "buf", name_of(f->to),
                f->lanes ? ", " : "");
  if (f->lanes) put_type(out, f->to, f->lanes);
  pm_buf_puts(out, "\n}\n}\n");
}

/* Numbers that are hard to write: the ends of the type, NaN, infinite ones, -0, the least above 0. */
static void put_numbers(pm_buf *out, pm_scalar scalar) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  uint64_t top = scalar == PM_I1 ? 1 : UINT64_MAX >> (64 - info->bits);
  if (scalar == PM_F64)
    pm_buf_puts(out, "0x7FF8000000000000, 0xFFF0000000000000, 0x7FF0000000000000, -0.0, 0x1, 0.1");
  else if (scalar == PM_F32)
    pm_buf_puts(out, "0x7FC00000, 0xFF800000, 0x7F800000, -0.0, 0x1, 0.1");
  else if (info->is_float)
    pm_buf_puts(out, "0.5, -1.0, 2.0, -0.0, 3.0, 0.0");
  else if (info->is_signed)
    pm_buf_printf(out, "%lld, %llu, 0, 1, -1, 2", -(long long)(top >> 1) - 1, (unsigned long long)(top >> 1));
  else
    pm_buf_printf(out, "0, %llu, 1, 0, 1, 1", (unsigned long long)top);
}

/* What is called: it puts a value into the second cell of an array. */
static void put_called(pm_buf *out, const form *f) {
  const char *e = name_of(f->from);
  pm_buf_printf(
      out,
      "loop.func private @keep_%zu fp \"strict\" {\n%%v = loop.param @v : %s\n"
      "%%t = buf.argument @t() : memref<2x%s, stack>\nbuf.store %%v, %%t[1] : memref<2x%s, stack>\n}\n",
      f->programs->len, e, e, e);
}

static void put_text(pm_buf *out, const form *f) {
  const char *from = name_of(f->from);
  if (f->calls) put_called(out, f);
  pm_buf_printf(out,
                "loop.func @f%zu fp \"strict\" {\n%%n = loop.param @n : index\n"
                "%%a_all = buf.input @a(%%n) : memref<?x%s>\n%%b_all = buf.input @b(%%n) : memref<?x%s>\n"
                "%%m_all = buf.input @m(%%n) : memref<?xi1>\n%%o = buf.output @o(%%n) : memref<?x%s>\n",
                f->programs->len, from, from, name_of(f->to));
  if (strstr(f->body, "%k_all")) {
    pm_buf_printf(out, "%%k_all = buf.constant @k dense<6x%s: [", from);
    put_numbers(out, f->from);
    pm_buf_puts(out, "]>\n");
  }
  pm_buf_printf(out,
                "%%c0 = arith.constant 0 : index\n%%c3 = arith.constant 3 : index\n"
                "%%ok = arith.cmp ge, %%n, %%c0 : index\nloop.require %%ok, \"n >= 0\"\n"
                "loop.parallel %%x = %%c0 to %%n step %u {\n"
                "%%rest = arith.remi %%x, %%c3 : index\n%%third = arith.cmp eq, %%rest, %%c0 : index\n",
                f->lanes ? f->lanes : 1);
  put_load(out, 'a', f->from, f->lanes);
  put_load(out, 'b', f->from, f->lanes);
  put_load(out, 'm', PM_I1, f->lanes);
  put_body(out, f);
  put_store(out, f);
}

static void put_name(pm_buf *out, const form *f) {
  pm_buf_printf(out, "%s %s %s", f->op->name, f->to == f->from ? "on" : "from", name_of(f->from));
  if (f->to != f->from) pm_buf_printf(out, " to %s", name_of(f->to));
  if (f->lanes) pm_buf_printf(out, ", %u lanes", f->lanes);
}

static void add(const form *f) {
  static const char *const calls[] = {"n=576", NULL};
  pm_buf name = {0}, text = {0};
  put_name(&name, f);
  put_text(&text, f);
  pm_check_program *made = pm_check_add(f->programs, f->op->name, &name, &text);
  made->calls = calls;
  made->data = f->is_tame ? PM_DATA_TAME : PM_DATA_HARD;
  made->ulps = is_named(f->op, "math") ? f->choice->ulps : 0;
}

static void add_on(form *f, bool scalars, bool vectors) {
  f->lanes = 0;
  if (scalars) add(f);
  for (size_t i = 0; vectors && i < f->choice->lanes_each; i++) {
    f->lanes = f->choice->lanes.data[f->turn++ % f->choice->lanes.len];
    add(f);
  }
}

/* --- rows of one type --- */

static bool is_uniform(const pm_op_desc *op) {
  return (op->traits & PM_SAME_TYPE) && (op->traits & PM_PURE) && !op->n_attrs && !op->n_regions &&
         op->n_results == 1 && op->variadic_arg < 0 && op->n_args >= 1 && op->n_args <= 3 &&
         op->results[0].constraint != T_INDEX;
}

static void add_uniform(form *f) {
  static const char *const operands[] = {"", "%a", "%a, %b", "%a, %b, %a"};
  int constraint = f->op->results[0].constraint;
  bool takes_ints = constraint == T_INT_LIKE || constraint == T_NUM_LIKE;
  bool takes_floats = constraint == T_FLOAT_LIKE || constraint == T_NUM_LIKE;
  pm_buf body = {0};
  pm_buf_printf(&body, "%%r = %s %s : $A\n", f->op->name, operands[f->op->n_args]);
  f->body = body.data;
  f->to = f->from;
  if (is_type(f->from, takes_floats, takes_ints)) add_on(f, true, true);
  pm_buf_free(&body);
}

/* --- other rows --- */

enum {
  SCALARS = 1 << 0, /* tried on scalars */
  VECTORS = 1 << 1, /* on vectors and masks */
  TO_BOOL = 1 << 2, /* the result is i1, else of the operands' type */
  TO_INTS = 1 << 3, /* one result of each type of integers */
  TO_ALL = 1 << 4,  /* one of each type */
  NO_FLOATS = 1 << 5,
  ONLY_FLOATS = 1 << 6,
  TO_SAME_WIDTH = 1 << 7, /* one of each type of as many bits */
  CALLS = 1 << 8          /* a function that stands beside */
};

static const struct form_row {
  const pm_op_desc *op;
  unsigned how;
  const char *body;
} rows[] = {
#define FORM(op, how, body) {&op, how, body},
#include "tools/lib/check_target/forms.def"
};

/* Ops whose verify hook takes none though their row does. */
static bool takes_no_masks(const pm_op_desc *op) {
  return op == &vec_step || op == &loop_require || op == &buf_nonnull;
}

static bool takes_no_vectors(const pm_op_desc *op) {
  return op == &loop_call || op == &buf_alloc || op == &buf_atomic;
}

static bool is_result(unsigned how, pm_scalar from, pm_scalar to) {
  if (how & TO_SAME_WIDTH) return pm_get_scalar_info(from)->bits == pm_get_scalar_info(to)->bits;
  if (how & TO_INTS) return !is_float(to);
  if (how & TO_ALL) return true;
  return to == (how & TO_BOOL ? PM_I1 : from);
}

static void add_results(form *f, unsigned how) {
  bool is_mask = f->from == PM_I1;
  for (int scalar = 0; scalar < PM_INDEX; scalar++) {
    f->to = (pm_scalar)scalar;
    bool wanted = f->choice->types[scalar] || f->to == PM_I1;
    if (wanted && is_result(how, f->from, f->to))
      add_on(f, (how & SCALARS) && !(is_mask && f->op == &buf_atomic),
             (how & VECTORS) && !(is_mask && takes_no_masks(f->op)));
  }
}

static void add_row(form *f, const struct form_row *row) {
  f->body = row->body;
  f->calls = row->how & CALLS;
  f->is_tame = f->op == &arith_cast && is_float(f->from);
  if (is_type(f->from, !(row->how & NO_FLOATS), !(row->how & ONLY_FLOATS))) add_results(f, row->how);
}

static void add_op(void *user, const pm_op_desc *op) {
  form f = *(form *)user;
  f.op = op;
  if (is_uniform(op)) add_uniform(&f);
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (rows[i].op == op) add_row(&f, &rows[i]);
}

/* Programs of one type are next to each other: a target that lacks it refuses them together. */
void pm_check_add_forms(pm_check_programs *programs, const pm_context *ctx, const pm_check_choice *choice) {
  for (int scalar = 0; scalar < PM_INDEX; scalar++) {
    form f = {.programs = programs, .choice = choice, .from = (pm_scalar)scalar, .turn = (size_t)scalar};
    if (choice->types[scalar]) each_op(ctx, choice, add_op, &f);
  }
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

static void put_classes(pm_buf *out, unsigned classes) {
  static const char *const words[] = {"scalars", "vectors", "masks"};
  for (unsigned i = 0, n = 0; i < PM_COUNT(words); i++)
    if (classes & 1u << i) pm_buf_printf(out, "%s%s", n++ ? ", " : "", words[i]);
}

/* --- what no program has --- */

static pm_walk see(void *user, pm_op *op) {
  pm_map *seen = user;
  uintptr_t classes = (uintptr_t)pm_map_get(seen, op->desc) | pm_op_class(op);
  pm_map_set(seen, op->desc, (void *)classes);
  return PM_WALK_ON;
}

typedef struct untried {
  pm_map *seen; /* classes by op */
  pm_buf *out;
} untried;

/* The target's own passes make a workspace, of every program with heap memory. */
static void put_untried(void *user, const pm_op_desc *op) {
  untried *u = user;
  unsigned missing = classes_of(op) & ~(unsigned)(uintptr_t)pm_map_get(u->seen, op);
  if (!missing || op == &buf_workspace) return;
  pm_buf_printf(u->out, "%s is in no program for ", op->name);
  put_classes(u->out, missing);
  pm_buf_putc(u->out, '\n');
}

void pm_check_untried(const pm_check_programs *programs, pm_context *ctx, const pm_check_choice *choice,
                      pm_buf *out) {
  untried u = {pm_map_new(), out};
  pm_buf text = {0};
  for (size_t i = 0; i < programs->len; i++) pm_buf_puts(&text, programs->data[i].text);
  pm_module *module = text.len ? pm_parse_module(ctx, "forms", text.data, text.len, false) : NULL;
  if (module) (void)pm_walk_pre(pm_module_op(module), see, u.seen);
  each_op(ctx, choice, put_untried, &u);
  if (module) pm_module_free(module);
  pm_buf_free(&text);
  pm_map_free(u.seen);
}

/* --- what a target lacks --- */

typedef struct lacking {
  const pm_target *target;
  pm_buf *out;
} lacking;

static void put_lacking(void *user, const pm_op_desc *op) {
  lacking *l = user;
  unsigned all = classes_of(op), missing = all & ~pm_target_classes(l->target, op);
  if (!missing) return;
  pm_buf_printf(l->out, "%s%s", l->out->len ? ", " : "", op->name);
  if (missing == all) return;
  pm_buf_puts(l->out, " (");
  put_classes(l->out, missing);
  pm_buf_putc(l->out, ')');
}

void pm_check_lacking(const pm_target *target, const pm_check_choice *choice, const pm_context *ctx,
                      pm_buf *out) {
  each_op(ctx, choice, put_lacking, &(lacking){target, out});
}
