/* What other languages and libraries call what is here. */
#include "frontends/polymage/dsl.h"

typedef struct synonym {
  const char *name, *here;
} synonym;

/* Of NumPy, OpenCV and Halide, and of C. */
static const synonym synonyms[] = {
    {"where", "Select(condition, a, b)"},
    {"select", "Select(condition, a, b)"},
    {"clip", "Min(Max(value, low), high)"},
    {"clamp", "Min(Max(value, low), high)"},
    {"minimum", "Min(a, b)"},
    {"maximum", "Max(a, b)"},
    {"absolute", "Abs(value)"},
    {"fabs", "Abs(value)"},
    {"power", "Pow(base, exponent)"},
    {"tan", "Sin(value) / Cos(value)"},
    {"round", "Cast(Int, value + 0.5)"},
    {"astype", "Cast(type, value)"},
    {"logical_and", "the operator &"},
    {"logical_or", "the operator |"},
    {"float32", "Float"},
    {"float64", "Double"},
    {"int8", "Char"},
    {"uint8", "UChar"},
    {"int16", "Short"},
    {"uint16", "UShort"},
    {"int32", "Int"},
    {"uint32", "UInt"},
    {"int64", "Long"},
    {"uint64", "ULong"},
    {"Bool", "UChar, with Select(condition, 1, 0),"},
    {"Func", "Function"},
    {"Var", "Variable"},
    {"Param", "Parameter"},
    {"ImageParam", "Image"},
    {"RDom", "the domain of a Reduction"},
    {"LUT", "Table(type, [values])"},
    {"lut", "Table(type, [values])"},
    {"array", "a list, or Table(type, [values]),"},
    {"arange", "range()"},
    {"linspace", "a list comprehension over range()"},
    {"convolve", "Stencil(f(x, y), factor, kernel)"},
    {"convolve2d", "Stencil(f(x, y), factor, kernel)"},
    {"filter2D", "Stencil(f(x, y), factor, kernel)"},
};

const char *dsl_synonym(pm_str name) {
  for (size_t i = 0; i < PM_COUNT(synonyms); i++)
    if (pm_str_is(name, synonyms[i].name)) return synonyms[i].here;
  return NULL;
}
