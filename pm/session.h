/* Programs that a host makes by calls in place of a text, where the host is a language itself: what a
 * statement of the program's language does, one at a time. Meaning and messages are those of a text.
 *
 *   pm_session_open("polymage", NULL, &session);
 *   pm_session_find(session, place, "Function", &function);
 *   pm_session_call(session, place, &function, arguments, 3, &blur);
 *   pm_session_finish(session, place, &blur, NULL, &pmir);
 *
 * Nothing here exits or prints, as in pm/pm.h, whose threads and statuses hold. After PM_DIAGNOSED a session
 * is as it was before the call; after PM_NO_MEMORY and PM_BUG it has ended: further calls return the same. */
#ifndef PM_SESSION_H
#define PM_SESSION_H

#include "frontends/frontend.h"
#include "pm/pm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pm_session pm_session;

/* In a text of the host, for messages. */
typedef struct pm_place {
  unsigned file;         /* of pm_session_file; 0: there is none */
  unsigned line, column; /* from 1; 0: unknown */
} pm_place;

/* Of the options, the handler, remarks, the limits of memory and those of the language count. They are
 * borrowed until the session is freed. *session is NULL where there is no memory for it, else to be freed;
 * after PM_DIAGNOSED it has ended. */
pm_status pm_session_open(const char *language, const pm_options *options, pm_session **session);
/* NULL is allowed. */
void pm_session_free(pm_session *session);
/* A file of the host: its text, which is copied, is for messages; NULL: it is not known. A name seen before
 * keeps its number. */
pm_status pm_session_file(pm_session *session, const char *name, const char *text, size_t len,
                          unsigned *file);
/* As the functions of pm_session_hooks. Results are values, or items of the session, which live as long as it
 * does. */
pm_status pm_session_find(pm_session *session, pm_place place, const char *name, pm_host_value *result);
pm_status pm_session_call(pm_session *session, pm_place place, const pm_host_value *callee,
                          const pm_host_argument *args, size_t n, pm_host_value *result);
pm_status pm_session_apply(pm_session *session, pm_place place, const char *operation,
                           const pm_host_value *operands, size_t n, pm_host_value *result);
pm_status pm_session_set(pm_session *session, pm_place place, const pm_host_value *object, const char *name,
                         const pm_host_value *value);
pm_status pm_session_name(pm_session *session, const pm_host_value *item, const char *name);
/* The program of these outputs, one or a list, as PMIR with locations: to be freed by pm_text_free. The
 * session then has ended. */
pm_status pm_session_finish(pm_session *session, pm_place place, const pm_host_value *outputs,
                            const char *name, char **pmir);
/* What pm_program_error says of a program. */
const char *pm_session_error(const pm_session *session);

#ifdef __cplusplus
}
#endif

#endif
