/*
** The modules that bide itself is made of, for `require`. There are two ways, of which a program is
** linked with one:
**
**   modules_beside.c   files beside the program, or those that `make install` made
**   modules_within.c   within the program, which then needs no file: `make static`, `make bundle`
**
** modules.c has what both do to Lua's table `package`.
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

/*
** Puts `patterns`, each with a semicolon behind it, at the beginning of package[field], and removes
** the current folder from it: a file there must not take the place of a library. A script finds its
** own modules beside itself.
*/
void bide_modules_set_path(lua_State *L, const char *field, const char *patterns);

/* Adds the searcher on top of the stack after that of package.preload, and pops it. */
void bide_modules_add_searcher(lua_State *L);

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
