#include "tools/lib/lsp/rpc.h"

#include "tools/lib/lsp/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LONGEST_HEADER = 1 << 14 };

void pm_rpc_free(pm_rpc *rpc) {
  pm_buf_free(&rpc->buffer);
}

/* --- out --- */

static void send(pm_rpc *rpc, json_t *message) {
  json_object_set_new(message, "jsonrpc", json_string("2.0"));
  char *text = json_dumps(message, JSON_COMPACT);
  json_decref(message);
  if (!text) pm_out_of_memory();
  fprintf(rpc->out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
  fflush(rpc->out);
  free(text);
}

void pm_rpc_reply(pm_rpc *rpc, json_t *id, json_t *result) {
  send(rpc, json_pack("{s:o, s:o}", "id", id, "result", result));
}

void pm_rpc_fail(pm_rpc *rpc, json_t *id, int code, const char *message) {
  send(rpc, json_pack("{s:o, s:{s:i, s:o}}", "id", id ? id : json_null(), "error", "code", code, "message",
                      pm_json_text(pm_str_of(message))));
}

void pm_rpc_notify(pm_rpc *rpc, const char *method, json_t *params) {
  send(rpc, json_pack("{s:s, s:o}", "method", method, "params", params));
}

/* --- in --- */

bool pm_rpc_read(pm_rpc *rpc) {
  char data[1 << 16];
  ssize_t n = read(rpc->in, data, sizeof data);
  if (n > 0) pm_buf_put(&rpc->buffer, data, (size_t)n);
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Forgets what was taken, when that is most of it. */
static void skip(pm_rpc *rpc, size_t n) {
  pm_buf *buffer = &rpc->buffer;
  rpc->at += n;
  if (rpc->at < buffer->len / 2) return;
  memmove(buffer->data, buffer->data + rpc->at, buffer->len - rpc->at + 1);
  buffer->len -= rpc->at;
  rpc->at = 0;
}

/* The number of a line `Content-Length: N`; false for other lines. */
static bool read_length(const char *line, size_t *length) {
  static const char name[] = "Content-Length:";
  char *end;
  if (strncasecmp(line, name, sizeof name - 1) != 0) return false;
  line += sizeof name - 1;
  line += strspn(line, " \t");
  if (*line < '0' || *line > '9') return false;
  errno = 0;
  unsigned long long value = strtoull(line, &end, 10);
  *length = errno || value > SIZE_MAX ? SIZE_MAX : (size_t)value;
  return *end == '\r';
}

static bool find_length(const char *header, const char *end, size_t *length) {
  for (const char *line = header; line < end; line = strstr(line, "\r\n") + 2)
    if (read_length(line, length)) return true;
  return false;
}

static void refuse(pm_rpc *rpc, const char *message) {
  pm_rpc_fail(rpc, NULL, PM_RPC_PARSE_ERROR, message);
}

/* Takes the header that is there whole; false: there is none. One without a length is answered and left out.
 */
static bool take_header(pm_rpc *rpc, size_t *bytes, size_t *length) {
  while (rpc->buffer.len > rpc->at) {
    const char *header = rpc->buffer.data + rpc->at, *end = strstr(header, "\r\n\r\n");
    if (!end && rpc->buffer.len - rpc->at > LONGEST_HEADER) {
      rpc->broken = true;
      refuse(rpc, "a header does not end");
    }
    if (!end) return false;
    *bytes = (size_t)(end - header) + 4;
    if (find_length(header, end, length)) return true;
    refuse(rpc, "a header has no Content-Length");
    skip(rpc, *bytes);
  }
  return false;
}

/* Of a message that is there whole. NULL after an answer. */
static json_t *parse(pm_rpc *rpc, const char *text, size_t length) {
  json_error_t error;
  json_t *message = json_loadb(text, length, JSON_ALLOW_NUL, &error);
  if (!message) {
    refuse(rpc, error.text);
  } else if (!json_is_object(message)) {
    pm_rpc_fail(rpc, NULL, PM_RPC_INVALID_REQUEST, "a message should be one object");
    json_decref(message);
    message = NULL;
  }
  return message;
}

json_t *pm_rpc_take(pm_rpc *rpc) {
  size_t bytes, length;
  json_t *message = NULL;
  while (!message && !rpc->broken && take_header(rpc, &bytes, &length)) {
    if (length > PM_MAX_TEXT) {
      rpc->broken = true;
      refuse(rpc, "a message is too large");
      return NULL;
    }
    if (rpc->buffer.len - rpc->at < bytes + length) return NULL;
    message = parse(rpc, rpc->buffer.data + rpc->at + bytes, length);
    skip(rpc, bytes + length);
  }
  return message;
}
