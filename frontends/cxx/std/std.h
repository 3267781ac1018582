/* What C++'s own library brings: a library like any other, on which others stand. */
#ifndef PM_FRONTENDS_CXX_STD_H
#define PM_FRONTENDS_CXX_STD_H

#include "frontends/cxx/library.h"

#include <string.h>

extern const cx_library cx_std;

/* Functions that other libraries give other names. */
cv cx_std_assert(const cx_call *call);

/* --- of this room --- */

static inline bool std_is_called(const cx_call *call, const char *name) {
  return strcmp(call->name->text, name) == 0;
}

/* functions.c */
extern const cx_row std_functions[];
cx_handler std_number_function(pm_string name);

/* containers.c: vector, array, pair, map and what is like them. */
bool std_is_list_type(const cx_node *type);
bool std_is_map_type(const cx_node *type);
cv std_to_list(cx_interp *in, pm_loc loc, const cx_node *type, cv v);
cv std_to_map(cx_interp *in, pm_loc loc, const cx_node *type, cv v);
cv std_make_list(const cx_making *m);
cv std_make_map(const cx_making *m);
extern const cx_row std_list_rows[], std_map_rows[];

/* iterators.c */
cv std_list_iterator(const cx_call *call); /* v.begin(), v.end() */
cv std_list_insert(const cx_call *call);   /* v.insert(at, …) */
/* The items from one iterator to another as a new list. */
cv std_copy_range(cx_interp *in, pm_loc loc, cv first, cv last);
cv std_distance(const cx_call *call);
cv std_find(const cx_call *call);
cv std_reverse(const cx_call *call);
/* The arguments are two iterators of one list, the first one first, and others: `least` to `most` in all.
 * False after a diagnostic. */
bool std_takes_range(const cx_call *call, unsigned least, unsigned most);

/* strings.c */
extern const cx_row std_text_rows[];
cv std_to_text(cx_interp *in, pm_loc loc, cv v);
cv std_make_text(const cx_making *making);
/* {'a', 'b'}, which strings are made of, too. */
bool std_are_characters(cv v);
cv std_to_number(const cx_call *call);
/* Streams of text, `s << x` and s.str(). */
bool std_is_stream_type(const cx_node *type);
cv std_make_stream(const cx_making *making);
bool std_write(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out);
cv std_written(const cx_call *call);
cv std_of_character(const cx_call *call);
/* The items were changed: where they are characters of a string, it is made of them again. */
/* The list of the call may get more or fewer items; false after a diagnostic. */
bool std_may_resize(const cx_call *c);
void std_changed(const cx_call *call, cx_list *list);

/* pointers.c: members of pointers that are classes, and of optional. */
extern const cx_row std_pointer_rows[];
cv std_make_pointer(const cx_call *call);

/* traits.c: numeric_limits, and what is asked of types. */
cv std_limit(const cx_call *call);
bool std_find_trait(cx_interp *in, const cx_node *name, cv *out);
const cx_node *std_meant(cx_interp *in, const cx_node *type);

/* algorithms.c */
cv std_get(const cx_call *call);
cv std_extreme_item(const cx_call *call);
cv std_count(const cx_call *call);
cv std_holds(const cx_call *call);
cv std_find_if(const cx_call *call);
cv std_for_each(const cx_call *call);
cv std_transform(const cx_call *call);
cv std_swap(const cx_call *call);
cv std_sort(const cx_call *call);
cv std_accumulate(const cx_call *call);
cv std_iota(const cx_call *call);
cv std_fill(const cx_call *call);
cv std_replace(const cx_call *call);

#endif
