/*
** The modules that bide itself is made of, for `require`. There are two ways, of which a program is
** linked with one:
**
**   modules_beside.c   files beside the program, or those that `make install` made
**   modules_within.c   within the program, which then needs no file: `make static`, `make bundle`
*/
#ifndef BIDE_MODULES_H
#define BIDE_MODULES_H

#include <lua.h>
#include <stddef.h>

/*
** Lets `require` find bide's own modules, before those of others and never from the current folder.
** `name` is argv[0]. Raises what went wrong.
*/
void bide_modules_install(lua_State *L, const char *name);

/* A file within the program, as src/release/embed.lua lists them. */
typedef struct BideEmbedded {
  const char *name; /* "lua/bide/cli.lua", "scripts/http.lua" */
  const unsigned char *bytes;
  size_t length;
} BideEmbedded;

/* Sorted by their names, byte by byte. */
extern const BideEmbedded bide_embedded[];
extern const size_t bide_embedded_count;

#endif
