/* Expands PM_DIALECT_DEF with the row macros that the includer defined, the others being nothing; then drops
 * all. */
#ifndef DIALECT
#define DIALECT(name)
#endif
#ifndef OP
#define OP(op, traits, doc)
#endif
#ifndef ARG
#define ARG(op, name, constraint, doc)
#endif
#ifndef ARGS
#define ARGS(op, name, constraint, doc)
#endif
#ifndef RES
#define RES(op, name, constraint, doc)
#endif
#ifndef RESS
#define RESS(op, name, constraint, doc)
#endif
#ifndef ATTR
#define ATTR(op, name, constraint, doc)
#endif
#ifndef OPT_ATTR
#define OPT_ATTR(op, name, constraint, doc)
#endif
#ifndef REGION
#define REGION(op, name, kind, doc)
#endif
#ifndef OPT_REGION
#define OPT_REGION(op, name, kind, doc)
#endif
#ifndef TYPE
#define TYPE(type, doc)
#endif
#ifndef ATTRIBUTE
#define ATTRIBUTE(attr, doc)
#endif
#ifndef PARAM
#define PARAM(kind, name, constraint, doc)
#endif
#ifndef TYPE_HOOK
#define TYPE_HOOK(type, hook)
#endif
#ifndef END_TYPE
#define END_TYPE(type)
#endif
#ifndef END_ATTRIBUTE
#define END_ATTRIBUTE(attr)
#endif
#ifndef HOOK
#define HOOK(op, hook)
#endif
#ifndef INTERFACE
#define INTERFACE(op, interface)
#endif
#ifndef COST
#define COST(op, cost)
#endif
#ifndef LANES
#define LANES(op, cost)
#endif
#ifndef FLOAT_LANES
#define FLOAT_LANES(op, cost, single, whole) LANES(op, cost)
#endif
#ifndef INT_LANES
#define INT_LANES(op, cost, any, u64) LANES(op, cost)
#endif
#ifndef RULE
#define RULE(op, name, law)
#endif
#ifndef INLINE_FORM
#define INLINE_FORM(op, kind, spelling, value)
#endif
#ifndef INLINE_OPERANDS
#define INLINE_OPERANDS(op, n)
#endif
#ifndef END
#define END(op)
#endif
#include PM_DIALECT_DEF
#undef DIALECT
#undef OP
#undef ARG
#undef ARGS
#undef RES
#undef RESS
#undef ATTR
#undef OPT_ATTR
#undef REGION
#undef OPT_REGION
#undef TYPE
#undef ATTRIBUTE
#undef PARAM
#undef TYPE_HOOK
#undef END_TYPE
#undef END_ATTRIBUTE
#undef HOOK
#undef INTERFACE
#undef COST
#undef LANES
#undef FLOAT_LANES
#undef INT_LANES
#undef RULE
#undef INLINE_FORM
#undef INLINE_OPERANDS
#undef END
