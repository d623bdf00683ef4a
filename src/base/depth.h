/*
** How deeply things may be nested: arrays and objects, of JSON texts, of Lua
** tables and of what an expression makes of them; shapes; expressions. What
** walks any of these calls itself once a level, so this is also what bounds the
** stack of C. A search of an expression of that depth takes 1.5 MiB at worst
** (max_by within max_by), and nothing else takes as much; searches that run within
** one another share the depth of one.
*/
#ifndef BIDE_BASE_DEPTH_H
#define BIDE_BASE_DEPTH_H

#define BIDE_DEPTH 1000

/* A limit as the text of its number, for messages. */
#define BIDE_AS_TEXT(value) #value
#define BIDE_IN_TEXT(limit) BIDE_AS_TEXT(limit)

#endif
