#include "tools/lib/driver/progress.h"

#include "tools/lib/driver/hooks.h"
#include "tools/lib/driver/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_CHARS = 79 };

static bool can_draw(void) {
  const char *terminal = getenv("TERM");
  return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

pm_progress pm_progress_begin(const char *tool, pm_progress_mode mode) {
  pm_progress p = {.tool = tool, .terminal = can_draw(), .begin = pm_clock_seconds()};
  p.on = mode == PM_PROGRESS_ALWAYS || (mode == PM_PROGRESS_AUTO && p.terminal);
  p.next = p.begin + (mode == PM_PROGRESS_ALWAYS ? 0 : 1);
  return p;
}

static void put_left(pm_buf *line, double left) {
  if (left < 120)
    pm_buf_printf(line, ", %.0f s left", left);
  else
    pm_buf_printf(line, ", %.0f min left", left / 60);
}

void pm_progress_update(pm_progress *p, double done, const char *fmt, ...) {
  double now = p->on ? pm_clock_seconds() : 0;
  if (!p->on || now < p->next) return;
  pm_buf line = {0};
  va_list args;
  va_start(args, fmt);
  pm_buf_printf(&line, "%s: ", p->tool);
  pm_buf_vprintf(&line, fmt, args);
  va_end(args);
  if (done > 0 && now - p->begin >= 1) put_left(&line, (now - p->begin) * (1 - done) / done);
  if (p->terminal)
    fprintf(stderr, "\033[K%.*s\r", LINE_CHARS, line.data);
  else
    fprintf(stderr, "%s\n", line.data);
  fflush(stderr);
  p->drawn = p->terminal;
  p->next = p->terminal ? now + 0.1 : now + (now - p->begin < 1 ? 1 : now - p->begin);
  pm_buf_free(&line);
}

void pm_progress_end(pm_progress *p) {
  if (p->drawn) fputs("\033[K", stderr);
  p->drawn = false;
}
