/* JSON-RPC 2.0 in the framing of the Language Server Protocol: a header with Content-Length, an empty line,
 * JSON. */
#ifndef PM_TOOLS_LSP_RPC_H
#define PM_TOOLS_LSP_RPC_H

#include "ir/support.h"

#include <jansson.h>
#include <stdio.h>

/* Codes of errors. */
enum {
  PM_RPC_PARSE_ERROR = -32700,
  PM_RPC_INVALID_REQUEST = -32600,
  PM_RPC_METHOD_NOT_FOUND = -32601,
  PM_RPC_INVALID_PARAMS = -32602,
  PM_RPC_NOT_INITIALIZED = -32002
};

typedef struct pm_rpc {
  int in;
  FILE *out;
  pm_buf buffer; /* read, from `at` on not taken */
  size_t at;
  bool broken; /* a message is too large to go on behind it */
} pm_rpc;

void pm_rpc_free(pm_rpc *rpc);
/* Reads what is there, or waits for it; false at the end. */
bool pm_rpc_read(pm_rpc *rpc) PM_MUST_USE;
/* The next whole message, the caller's; NULL: none is there yet. What is no message is answered here. */
json_t *pm_rpc_take(pm_rpc *rpc);

/* All take over what they are given. `id` NULL: it is not known. */
void pm_rpc_reply(pm_rpc *rpc, json_t *id, json_t *result);
void pm_rpc_fail(pm_rpc *rpc, json_t *id, int code, const char *message);
void pm_rpc_notify(pm_rpc *rpc, const char *method, json_t *params);

#endif
