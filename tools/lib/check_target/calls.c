#include "tools/lib/check_target/call.h"
#include "tools/lib/check_target/sections.h"

#include "dialects/loop/loop.h"

#include <stdlib.h>
#include <string.h>

/* In a body, `@@` is the symbol. */
static pm_check_program *add(pm_check_programs *programs, const char *name, const char *body,
                             const char *const *calls, bool (*check)(pm_check_call *call)) {
  pm_buf said = {0}, text = {0};
  char *symbol = pm_check_next_symbol(programs);
  const char *at = strstr(body, "@@");
  pm_buf_put(&text, body, (size_t)(at - body));
  pm_buf_printf(&text, "@%s%s", symbol, at + 2);
  pm_buf_puts(&said, name);
  pm_check_program *made = pm_check_add(programs, name, &said, &text);
  made->calls = calls;
  made->check = check;
  free(symbol);
  return made;
}

/* --- what is wrong in a call --- */

static const char copy[] =
    "loop.func @@ fp \"strict\" {\n%n = loop.param @n : index\n"
    "%a = buf.input @a(%n) : memref<?xf32>\n%b = buf.input @b(%n) : memref<?xi16>\n"
    "%o = buf.output @o(%n) : memref<?xf32>\n%p = buf.output @p(%n) : memref<?xi16>\n"
    "%c0 = arith.constant 0 : index\nloop.parallel %x = %c0 to %n step 1 {\n"
    "%v = buf.load %a[%x] : memref<?xf32>\n%w = buf.load %b[%x] : memref<?xi16>\n"
    "buf.store %v, %o[%x] : memref<?xf32>\nbuf.store %w, %p[%x] : memref<?xi16>\n}\n}\n";

static bool check_null(pm_check_call *call) {
  size_t arrays = call->trial.sig.inputs.len + call->trial.sig.outputs.len;
  for (size_t i = 0; i < arrays; i++) {
    void *before = call->pointers[i];
    call->pointers[i] = NULL;
    bool ok = pm_check_code(call, LOOP_NULL_POINTER) && pm_check_untouched(call);
    call->pointers[i] = before;
    if (!ok) return pm_check_wrong(call, "; array number %zu is null", i);
  }
  return pm_check_same(call);
}

static const char conditions[] =
    "loop.func @@ fp \"strict\" {\n%n = loop.param @n : index\n%m = loop.param @m : i32\n"
    "%o = buf.output @o(%n) : memref<?xi32>\n%c0 = arith.constant 0 : index\n%c2 = arith.constant 2 : index\n"
    "%c9 = arith.constant 9 : i32\n%first = arith.cmp ge, %n, %c2 : index\nloop.require %first, \"n >= 2\"\n"
    "%second = arith.cmp le, %m, %c9 : i32\nloop.require %second, \"m <= 9\"\n"
    "loop.for %x = %c0 to %n step 1 {\nbuf.store %m, %o[%x] : memref<?xi32>\n}\n}\n";

/* That the text of the code has these words, where the program has texts. */
static bool check_text(pm_check_call *call, int code, const char *words) {
  const char *text = pm_native_strerror(call->native, code);
  return !text || strstr(text, words) ||
         pm_check_wrong(call, "the text of the code %d is '%s', but should have '%s'", code, text, words);
}

/* With a size that no array has. */
static bool check_size(pm_check_call *call, int64_t n, int code) {
  call->scalars[0] = n;
  return (pm_check_code(call, code) && pm_check_untouched(call)) ||
         pm_check_wrong(call, "; n is %lld", (long long)n);
}

static bool check_first(pm_check_call *call) {
  return check_size(call, 1, LOOP_FIRST_REQUIRE) && check_size(call, 0, LOOP_FIRST_REQUIRE) &&
         check_size(call, -4, LOOP_FIRST_REQUIRE) && check_size(call, INT64_MIN, LOOP_FIRST_REQUIRE) &&
         check_text(call, LOOP_FIRST_REQUIRE, "n >= 2");
}

/* Arrays of a negative size have no elements. */
static bool check_negative(pm_check_call *call) {
  return check_size(call, -1, 0) && check_size(call, INT64_MIN, 0);
}

static bool check_second(pm_check_call *call) {
  return pm_check_code(call, LOOP_FIRST_REQUIRE + 1) && pm_check_untouched(call) &&
         check_text(call, LOOP_FIRST_REQUIRE + 1, "m <= 9");
}

/* %t of n x m numbers of 64 bits. */
static const char memory[] =
    "loop.func @@ fp \"strict\" {\n%n = loop.param @n : index\n%m = loop.param @m : index\n"
    "%o = buf.output @o() : memref<1xf64>\n%c0 = arith.constant 0 : index\n%v = arith.constant 2.5 : f64\n"
    "%t = buf.alloc(%n, %m) : memref<?x?xf64, heap>\nloop.for %x = %c0 to %n step 1 {\n"
    "loop.for %y = %c0 to %m step 1 {\nbuf.store %v, %t[%x, %y] : memref<?x?xf64, heap>\n}\n}\n"
    "%w = buf.load %t[%n - 1, %m - 1] : memref<?x?xf64, heap>\nbuf.store %w, %o[0] : memref<1xf64>\n}\n";

static bool check_too_large(pm_check_call *call) {
  return pm_check_code(call, LOOP_TOO_LARGE) && pm_check_untouched(call);
}

/* More than a processor can address. */
static bool check_no_memory(pm_check_call *call) {
  return pm_check_code(call, LOOP_OUT_OF_MEMORY) && pm_check_untouched(call);
}

void pm_check_add_requires(pm_check_programs *programs, const pm_context *ctx,
                           const pm_check_choice *choice) {
  static const char *const some[] = {"n=5", NULL}, *const few[] = {"n=1,m=3", NULL};
  static const char *const many[] = {"n=3,m=10", NULL}, *const good[] = {"n=2,m=9", "n=7,m=-1", NULL};
  static const char *const huge[] = {"n=4294967296,m=4294967296", "n=4611686018427387904,m=2", NULL};
  static const char *const large[] = {"n=1099511627776,m=65536", NULL}, *const small[] = {"n=3,m=5", NULL};
  (void)ctx, (void)choice;
  add(programs, "null pointers", copy, some, check_null);
  add(programs, "negative sizes", copy, some, check_negative);
  add(programs, "a condition that fails", conditions, few, check_first)->is_quiet = true;
  add(programs, "a second condition that fails", conditions, many, check_second)->is_quiet = true;
  add(programs, "conditions that hold", conditions, good, NULL);
  add(programs, "sizes beyond 64 bits", memory, huge, check_too_large)->is_quiet = true;
  add(programs, "memory that is not there", memory, large, check_no_memory)->is_quiet = true;
  add(programs, "memory that is there", memory, small, NULL);
}

/* --- calls that succeed --- */

/* Each argument goes to an output of its type. */
static void put_echo(pm_buf *out, const char *symbol, const pm_scalar *types, size_t n) {
  pm_buf_printf(out, "loop.func @%s fp \"strict\" {\n", symbol);
  for (size_t i = 0; i < n; i++)
    pm_buf_printf(out, "%%p%zu = loop.param @p%zu : %s\n", i, i, pm_get_scalar_info(types[i])->name);
  for (size_t i = 0; i < n; i++)
    pm_buf_printf(out, "%%o%zu = buf.output @o%zu() : memref<1x%s>\n", i, i,
                  pm_get_scalar_info(types[i])->name);
  for (size_t i = 0; i < n; i++)
    pm_buf_printf(out, "buf.store %%p%zu, %%o%zu[0] : memref<1x%s>\n", i, i,
                  pm_get_scalar_info(types[i])->name);
  pm_buf_puts(out, "}\n");
}

/* Wide and narrow ones are next to each other. */
static void add_echo(pm_check_programs *programs, const pm_scalar *types, size_t n, const char *name,
                     const char *const *calls) {
  pm_buf said = {0}, text = {0};
  char *symbol = pm_check_next_symbol(programs);
  pm_buf_puts(&said, name);
  put_echo(&text, symbol, types, n);
  pm_check_add(programs, name, &said, &text)->calls = calls;
  free(symbol);
}

static void add_arguments(pm_check_programs *programs) {
  static const pm_scalar ints[] = {PM_I8,  PM_U64, PM_U8,  PM_I64, PM_I16, PM_INDEX,
                                   PM_U16, PM_I32, PM_U32, PM_I8,  PM_I32};
  static const pm_scalar floats[] = {PM_F32, PM_I8,  PM_F64, PM_F32, PM_U16,
                                     PM_F64, PM_F64, PM_F32, PM_F32, PM_F64};
  static const char *const int_calls[] = {
      "p0=-128,p1=9223372036854775807,p2=255,p3=-9000000000000000000,p4=-32768,p5=1099511627776,p6=65535,"
      "p7=-2147483648,p8=4294967295,p9=127,p10=2147483647",
      "p0=1,p1=2,p2=3,p3=4,p4=5,p5=6,p6=7,p7=8,p8=9,p9=10,p10=11", NULL};
  static const char *const float_calls[] = {
      "p0=0.1,p1=-7,p2=1e300,p3=-3.5,p4=65535,p5=0.1,p6=-2,p7=8,p8=1e-40,p9=-0.0", NULL};
  add_echo(programs, ints, PM_COUNT(ints), "integers as arguments", int_calls);
  add_echo(programs, floats, PM_COUNT(floats), "floats as arguments", float_calls);
}

/* One for each type: arrays of 0, 1 and more elements. */
static void add_copies(pm_check_programs *programs, const pm_check_choice *choice) {
  static const char *const calls[] = {"n=0", "n=1", "n=3", "n=67", NULL};
  for (int scalar = 0; scalar < PM_INDEX; scalar++) {
    const char *e = pm_get_scalar_info((pm_scalar)scalar)->name;
    pm_buf name = {0}, text = {0};
    char *symbol = pm_check_next_symbol(programs);
    pm_buf_printf(&name, "arrays of 0, 1, 3 and 67 elements, %s", e);
    pm_buf_printf(
        &text,
        "loop.func @%s fp \"strict\" {\n%%n = loop.param @n : index\n"
        "%%a = buf.input @a(%%n) : memref<?x%s>\n%%o = buf.output @o(%%n) : memref<?x%s>\n"
        "%%c0 = arith.constant 0 : index\nloop.parallel %%x = %%c0 to %%n step 1 {\n"
        "%%v = buf.load %%a[%%n - %%x - 1] : memref<?x%s>\nbuf.store %%v, %%o[%%x] : memref<?x%s>\n}\n}\n",
        symbol, e, e, e, e);
    if (choice->types[scalar]) {
      pm_check_program *made = pm_check_add(programs, "arrays of 0, 1, 3 and 67 elements", &name, &text);
      made->calls = calls;
      made->data = PM_DATA_HARD;
    }
    pm_buf_free(&name);
    pm_buf_free(&text);
    free(symbol);
  }
}

static const char several[] =
    "loop.func @@ fp \"strict\" {\n%n = loop.param @n : index\n%m = loop.param @m : index\n"
    "%a = buf.input @a(%n, %m) : memref<?x?xi32>\n%o = buf.output @o(%m, %n) : memref<?x?xi32>\n"
    "%p = buf.output @p(%n) : memref<?x3xu8>\n%q = buf.output @q() : memref<f64>\n"
    "%c0 = arith.constant 0 : index\n%half = arith.constant 0.5 : f64\n%seven = arith.constant 7 : u8\n"
    "buf.store %half, %q[] : memref<f64>\nloop.parallel %x = %c0 to %n step 1 {\n"
    "buf.store %seven, %p[%x, 0] : memref<?x3xu8>\nbuf.store %seven, %p[%x, 1] : memref<?x3xu8>\n"
    "buf.store %seven, %p[%x, 2] : memref<?x3xu8>\nloop.for %y = %c0 to %m step 1 {\n"
    "%v = buf.load %a[%x, %y] : memref<?x?xi32>\nbuf.store %v, %o[%y, %x] : memref<?x?xi32>\n}\n}\n}\n";

/* What NAME_extent gives, where the program has it. */
static bool check_extents(pm_check_call *call) {
  const stage_signature *sig = &call->trial.sig;
  if (!pm_check_same(call)) return false;
  for (size_t i = 0; pm_native_has_extents(call->native) && i < sig->inputs.len + sig->outputs.len; i++) {
    const pm_array *array =
        i < sig->inputs.len ? &call->trial.inputs[i] : &call->trial.outputs[i - sig->inputs.len];
    void *values[4] = {call->values[0], call->values[1]};
    for (unsigned d = 0; d < array->rank; d++) {
      int64_t given = pm_native_extent_at(call->native, values, (int32_t)i, (int32_t)d);
      if (given != array->extents[d])
        return pm_check_wrong(
            call, "with %s the extent of dimension %u of array number %zu is %lld, but should be %lld",
            call->sizes, d, i, (long long)given, (long long)array->extents[d]);
    }
  }
  return true;
}

/* Rows in memory of the call, of a thread and of the stack. */
static const char rows[] =
    "loop.func @@ fp \"strict\" {\n%n = loop.param @n : index\n%m = loop.param @m : index\n"
    "%a = buf.input @a(%n, %m) : memref<?x?xi32>\n%o = buf.output @o(%n, %m) : memref<?x?xi32>\n"
    "%c0 = arith.constant 0 : index\n%t = buf.alloc(%n, %m) : memref<?x?xi32, heap>\n"
    "%u = buf.alloc(%m) : memref<?xi32, heap>\n"
    "loop.parallel %x = %c0 to %n step 1 {\nloop.for %y = %c0 to %m step 1 {\n"
    "%v = buf.load %a[%x, %y] : memref<?x?xi32>\n%w = arith.addi %v, %v : i32\n"
    "buf.store %w, %t[%x, %y] : memref<?x?xi32, heap>\n}\n}\n"
    "loop.for %y = %c0 to %m step 1 {\n%v = buf.load %t[0, %y] : memref<?x?xi32, heap>\n"
    "buf.store %v, %u[%y] : memref<?xi32, heap>\n}\n"
    "loop.parallel %x = %c0 to %n step 1 {\n%k = buf.alloc() : memref<1xi32, stack>\n"
    "loop.for %y = %c0 to %m step 1 {\n%v = buf.load %t[%n - %x - 1, %y] : memref<?x?xi32, heap>\n"
    "%w = buf.load %u[%y] : memref<?xi32, heap>\nbuf.store %w, %k[0] : memref<1xi32, stack>\n"
    "%z = buf.load %k[0] : memref<1xi32, stack>\n%s = arith.subi %v, %z : i32\n"
    "buf.store %s, %o[%x, %y] : memref<?x?xi32>\n}\n}\n}\n";

enum { AROUND = 128, PATTERN = 0x3c };

static bool is_around(const char *bytes) {
  for (size_t i = 0; i < AROUND; i++)
    if (bytes[i] != PATTERN) return false;
  return true;
}

/* In memory of the caller, at an odd address. */
static bool check_in(pm_check_call *call) {
  int64_t bytes = pm_native_scratch_bytes_at(call->native, call->values);
  if (bytes < 0 || bytes > 1 << 20)
    return pm_check_wrong(call, "with %s NAME_scratch_bytes gives %lld", call->sizes, (long long)bytes);
  char *block = pm_xmalloc((size_t)bytes + 2 * AROUND + 1), *from = block + AROUND + 1;
  memset(block, PATTERN, (size_t)bytes + 2 * AROUND + 1);
  pm_check_again(call);
  int code = pm_native_call_in(call->native, call->values, from, bytes);
  bool ok = code == 0 ||
            pm_check_wrong(call, "with %s NAME_ws returns %d in memory of the caller", call->sizes, code);
  if (ok && !(is_around(block + 1) && is_around(from + bytes)))
    ok = pm_check_wrong(call, "with %s NAME_ws writes outside of the memory that it was given", call->sizes);
  free(block);
  return ok && pm_check_kept(call) && pm_check_outputs(call);
}

/* Again with what the call before has kept, behind NAME_release, and in memory of the caller. */
static bool check_memory(pm_check_call *call) {
  for (int i = 0; i < 3; i++) {
    if (!pm_check_same(call)) return false;
    if (i == 1) pm_native_release(call->native);
    pm_check_again(call);
  }
  bool ok = !pm_native_has_workspace(call->native, false) || check_in(call);
  pm_native_release(call->native);
  return ok;
}

/* Vectors in memory of an alignment that accesses count on. */
static const char aligned[] =
    "loop.func @@ fp \"strict\" {\n%n = loop.param @n : index\n%a = buf.input @a(%n) : memref<?xf32>\n"
    "%o = buf.output @o(%n) : memref<?xf32>\n%c0 = arith.constant 0 : index\n"
    "%h = buf.alloc(%n) {align = 64} : memref<?xf32, heap>\nloop.parallel %x = %c0 to %n step 8 {\n"
    "%l = buf.alloc() {align = 64} : memref<16xf32, stack>\n"
    "%v = vec.load %a[%x] : memref<?xf32>, vector<8xf32>\n"
    "vec.store %v, %l[8] {align = 32} : memref<16xf32, stack>, vector<8xf32>\n"
    "%w = vec.load %l[8] {align = 32} : memref<16xf32, stack>, vector<8xf32>\n"
    "vec.store %w, %h[%x] {align = 32} : memref<?xf32, heap>, vector<8xf32>\n"
    "%u = vec.load %h[%x] {align = 32} : memref<?xf32, heap>, vector<8xf32>\n"
    "vec.store %u, %o[%x] : memref<?xf32>, vector<8xf32>\n}\n}\n";

/* All iterations of a parallel loop add to one cell. */
static const char counted[] =
    "loop.func @@ fp \"strict\" {\n%n = loop.param @n : index\n%a = buf.input @a(%n) : memref<?xi32>\n"
    "%o = buf.output @o(%n) : memref<?xi32>\n%s = buf.output @s() : memref<1xi32>\n"
    "%c0 = arith.constant 0 : index\n%zero = arith.constant 0 : i32\n%t = buf.alloc() : memref<1xi32, heap>\n"
    "buf.store %zero, %t[0] : memref<1xi32, heap>\nloop.parallel %x = %c0 to %n step 1 schedule \"dynamic\" "
    "{\n"
    "%v = buf.load %a[%x] : memref<?xi32>\nbuf.atomic add, %v, %t[0] : memref<1xi32, heap>\n"
    "%w = arith.muli %v, %v : i32\nbuf.store %w, %o[%x] : memref<?xi32>\n}\n"
    "%r = buf.load %t[0] : memref<1xi32, heap>\nbuf.store %r, %s[0] : memref<1xi32>\n}\n";

void pm_check_add_abi(pm_check_programs *programs, const pm_context *ctx, const pm_check_choice *choice) {
  static const char *const sizes[] = {"n=1,m=1", "n=1,m=9", "n=8,m=1", "n=5,m=7", NULL};
  static const char *const many[] = {"n=1", "n=1000", NULL}, *const eights[] = {"n=8", "n=64", NULL};
  (void)ctx;
  add_arguments(programs);
  add_copies(programs, choice);
  add(programs, "several outputs, and extents", several, sizes, check_extents);
  add(programs, "memory of calls and of the caller", rows, sizes, check_memory);
  add(programs, "aligned memory", aligned, eights, NULL);
  add(programs, "threads that add to one element", counted, many, NULL)->threads = 2;
}
