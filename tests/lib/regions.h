/* What regions.py compiles with a program's header: boxes of the outputs beside the whole outputs. Ahead of
 * this are rows, boxes, files, extent_of, needs_of, whole_of and region_of of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state;

static int64_t below(int64_t n) { /* 0 to n - 1 */
  state = state * 6364136223846793005u + 1442695040888963407u;
  return n > 0 ? (int64_t)((state >> 33) % (uint64_t)n) : 0;
}

typedef struct array {
  char *data;
  int64_t extents[8], count;
} array;

static array wholes[N];

static void fill(char *data, int64_t bytes, int how) {
  for (int64_t i = 0; i < bytes; i++)
    data[i] = (char)(how == 0 ? 0xA5 : how == 1 ? 0xFF : (i * 37 + 11) & 0x7F);
}

static int make_wholes(void) {
  void *arrays[N];
  for (int a = 0; a < N; a++) {
    array *w = &wholes[a];
    w->count = 1;
    for (int d = 0; d < rows[a][1]; d++) {
      int64_t n = extent_of(a, d);
      w->count *= w->extents[d] = n > 0 ? n : 0;
    }
    w->data = malloc((size_t)(w->count * rows[a][2] + 64));
    fill(w->data, w->count * rows[a][2], 0);
    if (files[a]) {
      FILE *f = fopen(files[a], "rb");
      if (!f || fread(w->data, (size_t)rows[a][2], (size_t)w->count, f) != (size_t)w->count) {
        printf("array %d is not as large as its file\n", a);
        return 1;
      }
      fclose(f);
    }
    arrays[a] = w->data;
  }
  int code = whole_of(arrays);
  if (code) printf("the whole call gives %d\n", code);
  return code;
}

/* A window of indices lo to hi - 1, dense in memory of its own; `kind` 1: in a larger array, 2: its last
 * dimension at steps of two. */
static void *make_window(int a, const int64_t *lo, const int64_t *hi, int kind, pm_buffer *b) {
  int64_t count = 1, around = kind == 1 ? 3 : 0, step = kind == 2 ? 2 : 1, first = 0;
  int rank = rows[a][1], bytes = rows[a][2];
  *b = (pm_buffer){.type = rows[a][0], .dimensions = rank};
  for (int d = rank - 1; d >= 0; d--) {
    int64_t n = hi[d] - lo[d] + 2 * around;
    b->dim[d] = (pm_dimension){lo[d] - around, n, d == rank - 1 ? step : count};
    count *= d == rank - 1 ? (n ? (n - 1) * step + 1 : 0) : n;
  }
  char *data = malloc((size_t)(count * bytes > 0 ? count * bytes : 1));
  fill(data, count * bytes, 0);
  b->host = data;
  (void)first;
  return data;
}

/* Copies the indices lo to hi - 1 between the whole array and the window; with `compare` counts the elements
 * that differ. */
static int64_t exchange(int a, const int64_t *lo, const int64_t *hi, const pm_buffer *b, int compare) {
  int64_t at[8], n = 1, differ = 0;
  int rank = rows[a][1], bytes = rows[a][2];
  for (int d = 0; d < rank; d++) n *= hi[d] - lo[d];
  for (int d = 0; d < rank; d++) at[d] = lo[d];
  for (int64_t i = 0; i < n; i++) {
    int64_t there = 0, here = 0;
    for (int d = 0; d < rank; d++) {
      there = there * wholes[a].extents[d] + at[d];
      here += (at[d] - b->dim[d].min) * b->dim[d].stride;
    }
    char *w = wholes[a].data + there * bytes, *v = (char *)b->host + here * bytes;
    if (!compare)
      memcpy(v, w, (size_t)bytes);
    else if (memcmp(v, w, (size_t)bytes))
      differ++;
    for (int d = rank - 1; d >= 0 && ++at[d] == hi[d]; d--) at[d] = lo[d];
  }
  return differ;
}

static void print_box(const int64_t *box) {
  for (int k = 0; k < BOUNDS; k += 2) printf(" %lld:%lld", (long long)box[k], (long long)box[k + 1]);
}

/* Bit a: array a differs, or has an element outside of its box that was stored. -1: the call failed. */
static int try_box(const int64_t *box, int kind, int without, int side, int how) {
  pm_buffer buffers[N];
  void *made[N];
  int64_t lo[N][8], hi[N][8];
  int bad = 0;
  for (int a = 0; a < N; a++) {
    int64_t n = 1, kept[2];
    needs_of(box, a, lo[a], hi[a]);
    made[a] = make_window(a, lo[a], hi[a], kind, &buffers[a]);
    for (int d = 0; d < rows[a][1]; d++) n *= hi[a][d] - lo[a][d];
    if (!rows[a][3] || n == 0) continue;
    if (a != without) {
      exchange(a, lo[a], hi[a], &buffers[a], 0);
      continue;
    }
    fill(made[a], n * rows[a][2], how);
    kept[0] = lo[a][side / 2], kept[1] = hi[a][side / 2];
    if (side & 1)
      hi[a][side / 2]--;
    else
      lo[a][side / 2]++;
    if (lo[a][side / 2] < hi[a][side / 2]) exchange(a, lo[a], hi[a], &buffers[a], 0);
    lo[a][side / 2] = kept[0], hi[a][side / 2] = kept[1];
  }
  int code = region_of(box, buffers);
  for (int a = 0; a < N; a++)
    if (code == 0 && !rows[a][3] && exchange(a, lo[a], hi[a], &buffers[a], 1)) bad |= 1 << a;
  if (code && without < 0) {
    printf("the region");
    print_box(box);
    printf(" gives %d\n", code);
  }
  for (int a = 0; a < N; a++) free(made[a]);
  return code ? -1 : bad;
}

/* Sides of windows, and those of them without which some output differs. */
static long sides, minimal_sides;

static void try_sides(const int64_t *box) {
  for (int a = 0; a < N; a++) {
    int64_t lo[8], hi[8], n = 1;
    needs_of(box, a, lo, hi);
    for (int d = 0; d < rows[a][1]; d++) n *= hi[d] - lo[d];
    for (int side = 0; rows[a][3] && n > 0 && side < 2 * rows[a][1]; side++) {
      int changes = try_box(box, 0, a, side, 1) != 0 || try_box(box, 0, a, side, 2) != 0;
      sides++;
      minimal_sides += changes;
      if (!changes) {
        printf("not needed: side %d of array %d, ", side, a);
        for (int d = 0; d < rows[a][1]; d++) printf(" %lld:%lld", (long long)lo[d], (long long)hi[d]);
        printf(", for");
        print_box(box);
        printf("\n");
      }
    }
  }
}

/* The extent of the output that a bound is of. */
static int64_t extent_of_bound(int k) {
  for (int a = 0; a < N; a++)
    if (boxes[a] >= 0 && k >= boxes[a] && k < boxes[a] + 2 * rows[a][1])
      return wholes[a].extents[(k - boxes[a]) / 2];
  return 0;
}

static void random_box(int64_t *box, int i) {
  for (int k = 0; k < BOUNDS; k += 2) {
    int64_t n = extent_of_bound(k), most = i % 4 == 0 ? n : i % 4 == 1 ? 1 : 1 + n / 3;
    int64_t length = 1 + below(most < n ? most : n), first = below(n - length + 1);
    box[k] = first;
    box[k + 1] = first + length;
  }
}

/* The box of one output, of several, gets an empty dimension. */
static void empty_one(int64_t *box) {
  int n = 0, chosen = -1;
  for (int a = 0; a < N; a++) {
    if (boxes[a] < 0 || (a > 0 && boxes[a] == boxes[a - 1]) || !rows[a][1]) continue;
    if (below(++n) == 0) chosen = a;
  }
  if (n < 2) return;
  int k = boxes[chosen] + 2 * (int)below(rows[chosen][1]);
  box[k] = box[k + 1];
}

/* Halves along each dimension, of all outputs together: number `part` of 1 << dimensions. */
static void part_box(int64_t *box, int part) {
  for (int k = 0; k < BOUNDS; k += 2) {
    int64_t n = extent_of_bound(k), half = n > 1 ? n / 2 : n;
    int upper = n > 1 && (part >> (k / 2 % 3) & 1);
    box[k] = upper ? half : 0;
    box[k + 1] = upper ? n : half;
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The least milliseconds of the whole function and of a region that is all of it, in turn; nanoseconds of the
 * needs of one array. */
static int measure(int rounds) {
  int64_t box[BOUNDS + 2], lo[8], hi[8];
  void *arrays[N];
  pm_buffer buffers[N];
  double whole = 1e9, region = 1e9, begin;
  if (make_wholes()) return 1;
  for (int k = 0; k < BOUNDS; k += 2) box[k] = 0, box[k + 1] = extent_of_bound(k);
  for (int a = 0; a < N; a++) {
    int64_t stride = 1;
    arrays[a] = wholes[a].data;
    buffers[a] = (pm_buffer){.host = wholes[a].data, .type = rows[a][0], .dimensions = rows[a][1]};
    for (int d = rows[a][1] - 1; d >= 0; stride *= wholes[a].extents[d--])
      buffers[a].dim[d] = (pm_dimension){0, wholes[a].extents[d], stride};
  }
  for (int i = 0; i < rounds; i++) {
    begin = now();
    if (whole_of(arrays)) return 1;
    if (now() - begin < whole) whole = now() - begin;
    begin = now();
    if (region_of(box, buffers)) return 1;
    if (now() - begin < region) region = now() - begin;
  }
  begin = now();
  for (int i = 0; i < 100000; i++) needs_of(box, i % N, lo, hi);
  printf("whole %.3f ms, region %.3f ms, ratio %.3f, needs %.0f ns\n", whole, region, whole / region,
         (now() - begin) * 10);
  return 0;
}

static int check(int n_boxes, int seed, int minimal) {
  int64_t box[BOUNDS + 2];
  int failures = 0;
  state = (uint64_t)seed * 977 + 1;
  if (make_wholes()) return 1;
  for (int k = 0; k < BOUNDS; k += 2)
    if (extent_of_bound(k) < 1) return 0;
  for (int i = -8; i < n_boxes; i++) {
    if (i < 0)
      part_box(box, i + 8);
    else
      random_box(box, i);
    if (i >= 0 && i % 3 == 1) empty_one(box);
    int kind = i % 3 == 0 ? 1 : i % 5 == 0 ? 2 : 0, bad = try_box(box, kind, -1, 0, 0);
    if (bad) {
      failures++;
      printf("differs (%d), windows of kind %d:", bad, kind);
      print_box(box);
      printf("\n");
    }
    if (minimal && i >= 0) try_sides(box);
  }
  if (minimal) printf("%ld of %ld sides are needed\n", minimal_sides, sides);
  printf("%d boxes, %d failures\n", n_boxes + 8, failures);
  return failures != 0;
}
