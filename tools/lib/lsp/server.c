#include "tools/lib/lsp/server.h"

#include "tools/lib/driver/process.h"
#include "tools/lib/lsp/document.h"
#include "tools/lib/lsp/rpc.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

typedef struct server {
  const pm_server_options *options;
  pm_rpc rpc;
  PM_VEC(pm_document *) documents;
  pm_document *reading; /* what the child reads, or NULL */
  pm_child child;
  pm_frontend_values values;
  bool initialized, shut_down, ended;
} server;

/* --- reading texts --- */

static void publish(server *s, const pm_document *d, json_t *diagnostics) {
  json_t *params = json_pack("{s:s, s:O}", "uri", d->uri, "diagnostics", diagnostics);
  if (json_is_integer(d->version)) json_object_set(params, "version", d->version);
  pm_rpc_notify(&s->rpc, "textDocument/publishDiagnostics", params);
}

static void begin_reading(server *s, pm_document *d) {
  s->reading = d;
  s->child = pm_begin_child(s->options->tool, pm_analyze_text, &d->as, s->options->seconds);
}

static void end_reading(server *s) {
  pm_document *d = s->reading;
  pm_child_result result = pm_end_child(&s->child);
  json_decref(d->found);
  d->found = pm_take_analysis(&result, s->options->seconds);
  d->stale = false;
  s->reading = NULL;
  if (result.log.len) fwrite(result.log.data, 1, result.log.len, stderr);
  pm_child_result_free(&result);
  publish(s, d, json_object_get(d->found, "diagnostics"));
}

/* The document is read again later, or is gone. */
static void cancel_reading(server *s) {
  if (s->reading) pm_cancel_child(&s->child);
  s->reading = NULL;
}

/* Requests are about the text as it is. */
static void settle(server *s, pm_document *d) {
  if (!d->stale) return;
  if (s->reading != d) {
    cancel_reading(s);
    begin_reading(s, d);
  }
  end_reading(s);
}

static void read_next(server *s) {
  for (size_t i = 0; i < s->documents.len && !s->reading; i++)
    if (s->documents.data[i]->stale) begin_reading(s, s->documents.data[i]);
}

/* --- documents --- */

static size_t find_document(const server *s, const json_t *params) {
  const char *uri = json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
  size_t i = 0;
  while (i < s->documents.len && !(uri && strcmp(s->documents.data[i]->uri, uri) == 0)) i++;
  return i;
}

/* NULL: it is not open, or no text of ours. */
static pm_document *document_of(const server *s, const json_t *params) {
  size_t i = find_document(s, params);
  return i < s->documents.len ? s->documents.data[i] : NULL;
}

static void set_text(server *s, pm_document *d, const json_t *text, json_t *version) {
  if (s->reading == d) cancel_reading(s);
  pm_document_set(d, (pm_str){json_string_value(text), json_string_length(text)}, version);
  d->stale = d->as.frontend != NULL;
}

static void close_document(server *s, size_t i) {
  pm_document *d = s->documents.data[i];
  if (s->reading == d) cancel_reading(s);
  pm_document_free(d);
  s->documents.data[i] = PM_VEC_POP(s->documents);
}

static json_t *did_open(server *s, const json_t *params) {
  const json_t *item = json_object_get(params, "textDocument"), *text = json_object_get(item, "text");
  const char *uri = json_string_value(json_object_get(item, "uri"));
  const char *language = json_string_value(json_object_get(item, "languageId"));
  if (!uri || !json_is_string(text)) return NULL;
  size_t i = find_document(s, params);
  if (i < s->documents.len) close_document(s, i);
  pm_document *d = pm_document_new(s->options->ctx, &s->values, uri, language ? language : "");
  if (s->options->from && d->as.frontend && !pm_is_ir(&d->as)) d->as.frontend = s->options->from;
  PM_VEC_PUSH(s->documents, d);
  set_text(s, d, text, json_object_get(item, "version"));
  return NULL;
}

/* A change of the whole text, as the server asks for. */
static json_t *did_change(server *s, const json_t *params) {
  pm_document *d = document_of(s, params);
  const json_t *changes = json_object_get(params, "contentChanges");
  size_t n = json_array_size(changes);
  const json_t *last = n ? json_array_get(changes, n - 1) : NULL, *text = json_object_get(last, "text");
  if (!d || !json_is_string(text)) return NULL;
  if (json_object_get(last, "range"))
    fprintf(stderr, "%s: a change of a part is ignored: changes should be of the whole text\n",
            s->options->tool);
  else
    set_text(s, d, text, json_object_get(json_object_get(params, "textDocument"), "version"));
  return NULL;
}

/* Files that it reads may have changed. */
static json_t *did_save(server *s, const json_t *params) {
  pm_document *d = document_of(s, params);
  if (d && d->as.frontend && s->reading != d) d->stale = true;
  return NULL;
}

static json_t *did_close(server *s, const json_t *params) {
  size_t i = find_document(s, params);
  if (i == s->documents.len) return NULL;
  json_t *none = json_array();
  publish(s, s->documents.data[i], none);
  json_decref(none);
  close_document(s, i);
  return NULL;
}

/* --- requests; NULL: the parameters are not those that it has --- */

/* The document of IR, read, and the offset of `position`; false: there is none. */
static bool find_place(server *s, const json_t *params, pm_document **d, size_t *offset) {
  *d = document_of(s, params);
  if (!*d || !(*d)->as.frontend || !pm_is_ir(&(*d)->as)) return false;
  settle(s, *d);
  return pm_offset_of_position(&(*d)->lines, json_object_get(params, "position"), offset);
}

static bool has_position(const json_t *params) {
  const json_t *position = json_object_get(params, "position");
  return json_is_string(json_object_get(json_object_get(params, "textDocument"), "uri")) &&
         json_is_integer(json_object_get(position, "line")) &&
         json_is_integer(json_object_get(position, "character"));
}

static json_t *hover(server *s, const json_t *params) {
  pm_document *d;
  size_t offset, begin, end;
  pm_buf text = {0};
  if (!has_position(params)) return NULL;
  if (find_place(s, params, &d, &offset)) pm_put_hover(d, offset, &text, &begin, &end);
  if (!text.len) return json_null();
  json_t *result =
      json_pack("{s:{s:s, s:o}, s:o}", "contents", "kind", "markdown", "value",
                pm_json_text((pm_str){text.data, text.len}), "range", pm_range_of(&d->lines, begin, end));
  pm_buf_free(&text);
  return result;
}

static json_t *location_of(const pm_document *d, size_t begin, size_t end) {
  return json_pack("{s:s, s:o}", "uri", d->uri, "range", pm_range_of(&d->lines, begin, end));
}

/* Each place of what is named at the position: definitions, uses or both. */
static json_t *places_of(server *s, const json_t *params, bool definitions, bool uses) {
  pm_document *d;
  size_t offset;
  pm_found_name at;
  json_t *places = json_array();
  if (!find_place(s, params, &d, &offset) || !pm_document_find_name(d, offset, &at)) return places;
  for (size_t i = 0; i < pm_document_count_names(d); i++) {
    pm_found_name name = pm_document_name(d, i);
    if (name.meaning == at.meaning && (name.defines ? definitions : uses))
      json_array_append_new(places, location_of(d, name.begin, name.end));
  }
  return places;
}

static json_t *definition(server *s, const json_t *params) {
  return has_position(params) ? places_of(s, params, true, false) : NULL;
}

static json_t *references(server *s, const json_t *params) {
  const json_t *context = json_object_get(params, "context");
  bool definitions = json_is_true(json_object_get(context, "includeDeclaration"));
  return has_position(params) ? places_of(s, params, definitions, true) : NULL;
}

static json_t *document_symbols(server *s, const json_t *params) {
  pm_document *d = document_of(s, params);
  if (!d) return json_array();
  if (d->as.frontend && pm_is_ir(&d->as)) settle(s, d);
  json_t *symbols = json_object_get(d->found, "symbols");
  return symbols ? json_incref(symbols) : json_array();
}

static json_t *completion(server *s, const json_t *params) {
  pm_document *d;
  size_t offset;
  if (!has_position(params)) return NULL;
  return find_place(s, params, &d, &offset) ? pm_complete(d, offset) : json_array();
}

static json_t *code_actions(server *s, const json_t *params) {
  const pm_document *d = document_of(s, params);
  json_t *actions = json_array(), *diagnostics, *diagnostic;
  size_t i;
  if (!d) return actions;
  diagnostics = json_object_get(json_object_get(params, "context"), "diagnostics");
  json_array_foreach(diagnostics, i, diagnostic) {
    json_t *action = pm_correction_of(d, diagnostic);
    if (action) json_array_append_new(actions, action);
  }
  return actions;
}

/* --- the life of a session --- */

static json_t *initialize(server *s, const json_t *params) {
  (void)params;
  s->initialized = true;
  return json_pack("{s:{s:{s:b, s:i, s:b}, s:s, s:b, s:b, s:b, s:b, s:{s:[s, s, s]}, s:b}, s:{s:s}}",
                   "capabilities", "textDocumentSync", "openClose", 1, "change", 1, "save", 1,
                   "positionEncoding", "utf-16", "hoverProvider", 1, "definitionProvider", 1,
                   "referencesProvider", 1, "documentSymbolProvider", 1, "completionProvider",
                   "triggerCharacters", ".", "%", "@", "codeActionProvider", 1, "serverInfo", "name",
                   s->options->tool);
}

static json_t *shut_down(server *s, const json_t *params) {
  (void)params;
  s->shut_down = true;
  cancel_reading(s);
  return json_null();
}

static json_t *end_session(server *s, const json_t *params) {
  (void)params;
  s->ended = true;
  return NULL;
}

static json_t *do_nothing(server *s, const json_t *params) {
  (void)s, (void)params;
  return NULL;
}

typedef struct method {
  const char *name;
  bool is_request;
  json_t *(*answer)(server *s, const json_t *params);
} method;

static const method methods[] = {{"initialize", true, initialize},
                                 {"initialized", false, do_nothing},
                                 {"shutdown", true, shut_down},
                                 {"exit", false, end_session},
                                 {"textDocument/didOpen", false, did_open},
                                 {"textDocument/didChange", false, did_change},
                                 {"textDocument/didSave", false, did_save},
                                 {"textDocument/didClose", false, did_close},
                                 {"textDocument/hover", true, hover},
                                 {"textDocument/definition", true, definition},
                                 {"textDocument/references", true, references},
                                 {"textDocument/documentSymbol", true, document_symbols},
                                 {"textDocument/completion", true, completion},
                                 {"textDocument/codeAction", true, code_actions}};

static const method *find_method(const char *name) {
  for (size_t i = 0; i < PM_COUNT(methods); i++)
    if (strcmp(methods[i].name, name) == 0) return &methods[i];
  return NULL;
}

/* Why a request cannot be answered, or NULL. */
static const char *refusal(const server *s, const method *method, int *code) {
  *code = PM_RPC_METHOD_NOT_FOUND;
  if (!method || !method->is_request) return "there is no such request";
  *code = PM_RPC_NOT_INITIALIZED;
  if (!s->initialized && method->answer != initialize) return "initialize should come first";
  *code = PM_RPC_INVALID_REQUEST;
  if (s->initialized && method->answer == initialize) return "the session is initialized already";
  return s->shut_down ? "the session was shut down: only exit may follow" : NULL;
}

static void answer(server *s, const method *method, json_t *id, const json_t *params) {
  int code;
  const char *reason = refusal(s, method, &code);
  json_t *result = reason ? NULL : method->answer(s, params);
  if (reason)
    pm_rpc_fail(&s->rpc, json_incref(id), code, reason);
  else if (result)
    pm_rpc_reply(&s->rpc, json_incref(id), result);
  else
    pm_rpc_fail(&s->rpc, json_incref(id), PM_RPC_INVALID_PARAMS, "a parameter is missing or of another type");
}

/* A notification has no answer; one that is not known, or comes too early or late, does nothing. */
static void handle(server *s, const json_t *message) {
  json_t *id = json_object_get(message, "id"), *name = json_object_get(message, "method");
  const json_t *params = json_object_get(message, "params");
  const method *method = json_is_string(name) ? find_method(json_string_value(name)) : NULL;
  bool is_response = !name && (json_object_get(message, "result") || json_object_get(message, "error"));
  if (is_response) return;
  if (!json_is_string(name))
    pm_rpc_fail(&s->rpc, json_incref(id), PM_RPC_INVALID_REQUEST, "a message should have a method");
  else if (id)
    answer(s, method, id, params);
  else if (method && !method->is_request &&
           ((s->initialized && !s->shut_down) || method->answer == end_session))
    json_decref(method->answer(s, params));
}

/* --- the loop --- */

enum { WAKE_MS = 1000 /* a stop may be asked just ahead of a wait */ };

/* The child has answered or is late, or there is none. */
static bool is_read(const server *s, const struct pollfd *answers) {
  return s->reading && (!s->child.process || answers->revents || pm_clock_seconds() >= s->child.end);
}

/* For input, or for the child. False at the end of the input, or when a stop is asked. */
static bool wait_for_more(server *s) {
  struct pollfd from[2] = {{.fd = s->rpc.in, .events = POLLIN}, {.fd = s->child.answers, .events = POLLIN}};
  double left = s->reading ? 1e3 * fmax(0, s->child.end - pm_clock_seconds()) + 1 : WAKE_MS;
  if (poll(from, s->reading && s->child.process ? 2 : 1, (int)fmin(left, WAKE_MS)) < 0)
    from[0].revents = from[1].revents = 0;
  bool more = !pm_stop_asked() && (!from[0].revents || pm_rpc_read(&s->rpc));
  if (more && is_read(s, &from[1])) end_reading(s);
  return more;
}

int pm_serve(const pm_server_options *options, int in, FILE *out) {
  server s = {.options = options, .rpc = {.in = in, .out = out}, .values = options->values};
  do {
    json_t *message;
    while (!s.ended && (message = pm_rpc_take(&s.rpc))) {
      handle(&s, message);
      json_decref(message);
    }
    if (!s.ended && !s.shut_down) read_next(&s);
  } while (!s.ended && !s.rpc.broken && wait_for_more(&s));
  cancel_reading(&s);
  while (s.documents.len) close_document(&s, s.documents.len - 1);
  PM_VEC_FREE(s.documents);
  pm_rpc_free(&s.rpc);
  return s.ended && s.shut_down ? 0 : 1;
}
