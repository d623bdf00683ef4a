/*
** The limit of nesting: for arrays and objects (from JSON texts, Lua tables and results of
** expressions), for shapes, and for expressions. A function that walks any of these calls
** itself once a level, so this limit also bounds the C stack. The worst case, a search of an
** expression of this depth (max_by within max_by), takes 1.5 MiB; nested searches share one
** depth.
*/
#ifndef BIDE_BASE_DEPTH_H
#define BIDE_BASE_DEPTH_H

#define BIDE_DEPTH 1000

/* Expands a limit to the text of its number, for messages. */
#define BIDE_AS_TEXT(value) #value
#define BIDE_IN_TEXT(limit) BIDE_AS_TEXT(limit)

#endif
