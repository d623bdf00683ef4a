/*
** Shapes (jmespath/analysis/shape.h) as Lua values: "any", "null", "boolean", "number", "string",
** { array = shape }, { object = { name = shape, … } } and { map = shape }. A table may be a part of
** several shapes, and may contain itself.
*/
#ifndef BIDE_HOST_VALUES_SHAPE_TABLE_H
#define BIDE_HOST_VALUES_SHAPE_TABLE_H

#include <lua.h>

#include "jmespath/analysis/analyse.h"

/* Reads the shape at `index`. Raises if it is not a shape, or if memory runs out. */
const BideShape *bide_shape_table_read(lua_State *L, int index, BideArena *arena);

void bide_shape_table_push(lua_State *L, const BideShape *shape);

/* Pushes { type = shape, problems = { { severity, kind, message, line, … }, … } }. */
void bide_shape_table_push_analysis(lua_State *L, const BideExpression *expression,
                                    const BideAnalysis *analysis);

#endif
