/* tiles ROWS COLUMNS SIZE INPUT OUTPUT: sharpens a raw picture of bytes in tiles of SIZE x SIZE pixels. In
 * memory are one tile and the window of the input that it needs. */
#define _XOPEN_SOURCE 700 /* pread, pwrite */

#include "sharpen.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct picture {
  int file;
  int32_t rows, columns;
} picture;

/* A box of a picture: rows lo[0] to hi[0] - 1, columns lo[1] to hi[1] - 1. */
typedef struct window {
  int64_t lo[2], hi[2];
  uint8_t *pixels; /* of `room` bytes */
  int64_t room;
} window;

static int64_t width(const window *w) {
  return w->hi[1] - w->lo[1];
}

static bool make_room(window *w) {
  int64_t bytes = (w->hi[0] - w->lo[0]) * width(w);
  if (bytes <= w->room) return true;
  free(w->pixels);
  w->pixels = malloc((size_t)bytes);
  w->room = w->pixels ? bytes : 0;
  return w->pixels != NULL;
}

static off_t offset_of_row(const picture *p, const window *w, int64_t row) {
  return (off_t)row * p->columns + (off_t)w->lo[1];
}

static bool read_rows(const picture *p, const window *w) {
  size_t n = (size_t)width(w);
  uint8_t *to = w->pixels;
  for (int64_t row = w->lo[0]; row < w->hi[0]; row++, to += n)
    if (pread(p->file, to, n, offset_of_row(p, w, row)) != (ssize_t)n) return false;
  return true;
}

static bool write_rows(const picture *p, const window *w) {
  size_t n = (size_t)width(w);
  const uint8_t *from = w->pixels;
  for (int64_t row = w->lo[0]; row < w->hi[0]; row++, from += n)
    if (pwrite(p->file, from, n, offset_of_row(p, w, row)) != (ssize_t)n) return false;
  return true;
}

static pm_buffer buffer_of(const window *w) {
  return (pm_buffer){
      w->pixels, PM_TYPE_U8, 2, {{w->lo[0], w->hi[0] - w->lo[0], width(w)}, {w->lo[1], width(w), 1}}};
}

/* The tile is the box of the output to compute. NULL, or what went wrong. */
static const char *sharpen_tile(const picture *in, const picture *out, window *needed, window *tile) {
  const int64_t box[] = {tile->lo[0], tile->hi[0], tile->lo[1], tile->hi[1]};
  sharpen_needs(in->rows, in->columns, box, 0, needed->lo, needed->hi);
  if (!make_room(needed) || !make_room(tile)) return "no memory";
  if (!read_rows(in, needed)) return "the input cannot be read, or is too short";
  const pm_buffer img = buffer_of(needed), sharpened = buffer_of(tile);
  int code = sharpen_region(in->rows, in->columns, box, &img, &sharpened);
  if (code != 0) return sharpen_region_at_strerror(code);
  return write_rows(out, tile) ? NULL : "the output cannot be written";
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static const char *sharpen_picture(const picture *in, const picture *out, int64_t size) {
  window needed = {{0}, {0}, NULL, 0}, tile = {{0}, {0}, NULL, 0};
  const char *wrong = NULL;
  for (int64_t x = 0; x < in->rows && !wrong; x += size)
    for (int64_t y = 0; y < in->columns && !wrong; y += size) {
      tile.lo[0] = x;
      tile.hi[0] = least(x + size, in->rows);
      tile.lo[1] = y;
      tile.hi[1] = least(y + size, in->columns);
      wrong = sharpen_tile(in, out, &needed, &tile);
    }
  printf("%d x %d pixels, %lld bytes in memory\n", (int)in->rows, (int)in->columns,
         (long long)(needed.room + tile.room));
  free(needed.pixels);
  free(tile.pixels);
  return wrong;
}

int main(int argc, char **argv) {
  if (argc != 6 || atoi(argv[1]) < 1 || atoi(argv[2]) < 1 || atoi(argv[3]) < 1) {
    fprintf(stderr, "usage: tiles ROWS COLUMNS SIZE INPUT OUTPUT\n");
    return 2;
  }
  picture in = {open(argv[4], O_RDONLY), atoi(argv[1]), atoi(argv[2])};
  picture out = {open(argv[5], O_WRONLY | O_CREAT | O_TRUNC, 0666), in.rows, in.columns};
  const char *wrong = "a file cannot be opened";
  if (in.file >= 0 && out.file >= 0) wrong = sharpen_picture(&in, &out, atoi(argv[3]));
  if (out.file >= 0 && close(out.file) != 0 && !wrong) wrong = "the output cannot be written";
  if (in.file >= 0) close(in.file);
  if (wrong) fprintf(stderr, "tiles: %s\n", wrong);
  return wrong != NULL;
}
