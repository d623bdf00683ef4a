/* bide.core.resolver: the addresses of names. Annotated in lua/bide/meta/resolver.lua. */
#include <lauxlib.h>
#include <string.h>
#include <sys/socket.h>

#include "host/api/modules.h"
#include "host/argument.h"
#include "host/class.h"
#include "host/failure.h"
#include "host/host.h"
#include "host/waker.h"
#include "net/resolver.h"

static const BideClass lookup_class = {"bide.lookup"};
static const BideClass resolver_class = {"bide.resolver"};

static const char resolver_key = 0;

/* The user values of a lookup: what it keeps alive. */
enum { WAKER = 1, RESOLVER };

typedef struct LuaLookup {
  BideLookup *lookup; /* NULL if it is closed */
  BideWaker *waker;
} LuaLookup;

/* ---- the resolver ------------------------------------------------------- */

static int collect_resolver(lua_State *L) {
  BideResolver **resolver = bide_class_check(L, 1, &resolver_class);
  if (*resolver != NULL)
    bide_resolver_destroy(*resolver);
  *resolver = NULL;
  return 0;
}

/*
** Pushes the resolver of this state, created at its first use. A state that closes collects objects
** in the reverse order of their creation: lookups, then the resolver, then the host with the loop.
** Returns NULL if the resolver has been collected.
*/
static BideResolver *push_resolver(lua_State *L) {
  BideResolver **resolver;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &resolver_key) != LUA_TNIL)
    return *(BideResolver **)lua_touserdata(L, -1);
  lua_pop(L, 1);
  resolver = lua_newuserdatauv(L, sizeof(BideResolver *), 0);
  *resolver = NULL;
  bide_class_set(L, &resolver_class);
  *resolver = bide_resolver_create(bide_host_loop(bide_host_check(L)));
  if (*resolver == NULL)
    bide_failure_no_memory(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &resolver_key);
  return *resolver;
}

/* ---- addresses ---------------------------------------------------------- */

static int check_family(lua_State *L, int index) {
  static const char *const names[] = {"any", "inet", "inet6", NULL};
  static const int families[] = {AF_UNSPEC, AF_INET, AF_INET6};
  return families[luaL_checkoption(L, index, "any", names)];
}

/* Pushes nil and the failure; raises for lack of memory. */
static int push_lookup_failure(lua_State *L, const char *failure) {
  if (strcmp(failure, "EAI_MEMORY") == 0)
    return bide_failure_no_memory(L);
  lua_pushnil(L);
  lua_pushstring(L, failure);
  return 2;
}

/* Pushes the list of addresses, with may_be_cut if that is true; or nil and the failure. */
static int push_addresses(lua_State *L, const BideAddresses *addresses) {
  if (addresses->failure != NULL)
    return push_lookup_failure(L, addresses->failure);
  lua_newtable(L);
  for (size_t i = 0; i < addresses->count; i++) {
    lua_pushstring(L, addresses->texts[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  if (addresses->may_be_cut) {
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "may_be_cut");
  }
  return 1;
}

/* resolver.family_of(host) -> "inet" | "inet6" of an address | nil for a name */
static int family_of(lua_State *L) {
  int family = bide_resolver_family_of(bide_argument_text(L, 1));
  if (family == AF_UNSPEC)
    return 0;
  lua_pushstring(L, family == AF_INET ? "inet" : "inet6");
  return 1;
}

/* ---- lookups ------------------------------------------------------------ */

static int close_lookup(lua_State *L) {
  LuaLookup *self = bide_class_check(L, 1, &lookup_class);
  if (self->lookup != NULL)
    bide_lookup_free(self->lookup);
  self->lookup = NULL;
  return 0;
}

static void on_done(void *waker) {
  bide_waker_fire(waker);
}

static LuaLookup *push_closed_lookup(lua_State *L, int waker, int resolver) {
  LuaLookup *self = lua_newuserdatauv(L, sizeof *self, RESOLVER);
  self->lookup = NULL;
  self->waker = bide_waker_check(L, waker);
  bide_class_set(L, &lookup_class);
  lua_pushvalue(L, waker);
  lua_setiuservalue(L, -2, WAKER);
  lua_pushvalue(L, resolver);
  lua_setiuservalue(L, -2, RESOLVER);
  return self;
}

/* resolver.start(waker, name, family | nil) -> lookup | nil, failure */
static int start(lua_State *L) {
  const char *name, *failure = NULL;
  int family;
  BideResolver *resolver;
  LuaLookup *self;
  bide_waker_check(L, 1);
  name = bide_argument_text(L, 2);
  family = check_family(L, 3);
  lua_settop(L, 3);
  resolver = push_resolver(L);
  if (resolver == NULL)
    return luaL_error(L, "bide: the host is closed");
  self = push_closed_lookup(L, 1, 4); /* waker name family resolver lookup */
  self->lookup = bide_resolver_start(resolver, name, family, on_done, self->waker, &failure);
  return self->lookup != NULL ? 1 : push_lookup_failure(L, failure);
}

/* lookup:result() -> addresses | nil, failure | nothing if it is still under way */
static int result(lua_State *L) {
  LuaLookup *self = bide_class_check(L, 1, &lookup_class);
  const BideAddresses *addresses;
  if (self->lookup == NULL)
    return luaL_error(L, "the lookup is closed");
  addresses = bide_lookup_addresses(self->lookup);
  return addresses != NULL ? push_addresses(L, addresses) : 0;
}

static const luaL_Reg resolver_methods[] = {{"__gc", collect_resolver}, {NULL, NULL}};

static const luaL_Reg lookup_methods[] = {
  {"result", result},
  {"__gc", close_lookup},
  {"__close", close_lookup},
  {NULL, NULL},
};

const luaL_Reg bide_functions_resolver[] = {
  {"family_of", family_of},
  {"start", start},
  {NULL, NULL},
};

void bide_define_resolver(lua_State *L) {
  bide_class_define(L, &resolver_class, resolver_methods);
  bide_class_define(L, &lookup_class, lookup_methods);
}
