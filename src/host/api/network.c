/*
** bide.core.network: the addresses that recipes may connect to. Annotated in
** lua/bide/meta/network.lua.
*/
#include <lauxlib.h>
#include <string.h>

#include "base/platform.h"
#include "host/api/modules.h"
#include "host/argument.h"
#include "host/failure.h"
#include "host/host.h"
#include "host/task.h"
#include "net/policy.h"

/* network.is_rule(text) -> boolean */
static int is_rule(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  lua_pushboolean(L, strlen(text) == length && bide_policy_is_rule(text));
  return 1;
}

/* network.restrict(is_closed): begins a policy, in place of one before */
static int restrict_network(lua_State *L) {
  BidePolicy **place = bide_host_policy(bide_host_check(L));
  BidePolicy *policy = bide_policy_create(lua_toboolean(L, 1));
  if (policy == NULL)
    return bide_failure_no_memory(L);
  bide_policy_free(*place);
  *place = policy;
  return 0;
}

/* network.is_restricted() -> boolean */
static int is_restricted(lua_State *L) {
  lua_pushboolean(L, *bide_host_policy(bide_host_check(L)) != NULL);
  return 1;
}

static int add(lua_State *L, BideRuleKind kind) {
  const char *rule = bide_argument_text(L, 1);
  BidePolicy *policy = *bide_host_policy(bide_host_check(L));
  luaL_argcheck(L, bide_policy_is_rule(rule), 1, "not a rule");
  if (policy == NULL)
    return luaL_error(L, "the network is not restricted");
  return bide_policy_add(policy, kind, rule) ? 0 : bide_failure_no_memory(L);
}

/* network.allow(rule) */
static int allow(lua_State *L) {
  return add(L, BIDE_RULE_ALLOW);
}

/* network.deny(rule) */
static int deny(lua_State *L) {
  return add(L, BIDE_RULE_DENY);
}

static void read_address(lua_State *L, struct sockaddr_storage *address) {
  const char *text = bide_argument_text(L, 1);
  int port = bide_argument_int(L, 2, 0);
  luaL_argcheck(L, port <= 65535, 2, "must be a port");
  luaL_argcheck(L, bide_policy_read(address, text, port), 1, "must be an address");
}

/* network.close(address, port): closes the store's port to recipes; nothing without a policy */
static int close_address(lua_State *L) {
  BidePolicy *policy = *bide_host_policy(bide_host_check(L));
  struct sockaddr_storage address;
  read_address(L, &address);
  if (policy != NULL && !bide_policy_close(policy, (const struct sockaddr *)&address))
    return bide_failure_no_memory(L);
  return 0;
}

static bool refuses(lua_State *L, char refusal[BIDE_REFUSAL_SIZE]) {
  const BidePolicy *policy = *bide_host_policy(bide_host_check(L));
  struct sockaddr_storage address;
  if (policy == NULL)
    return false;
  read_address(L, &address);
  return bide_policy_refuses(policy, (const struct sockaddr *)&address, refusal);
}

/* network.refusal(address, port) -> text | nil */
static int refusal_of(lua_State *L) {
  char refusal[BIDE_REFUSAL_SIZE];
  if (!refuses(L, refusal))
    return 0;
  lua_pushstring(L, refusal);
  return 1;
}

/* network.check(address, port): ends the running attempt if the address is closed */
static int check(lua_State *L) {
  char refusal[BIDE_REFUSAL_SIZE];
  return refuses(L, refusal) ? bide_task_refuse(L, refusal) : 0;
}

/* network.refuse(text): ends the running attempt, for which another task met a closed address */
static int refuse(lua_State *L) {
  return bide_task_refuse(L, luaL_checkstring(L, 1));
}

/* network.listens(address, port) -> boolean | nil */
static int listens(lua_State *L) {
  struct sockaddr_storage address;
  int found;
  read_address(L, &address);
  found = bide_platform_listens((const struct sockaddr *)&address);
  if (found < 0)
    return 0;
  lua_pushboolean(L, found);
  return 1;
}

const luaL_Reg bide_functions_network[] = {
  {"is_rule", is_rule},
  {"restrict", restrict_network},
  {"is_restricted", is_restricted},
  {"allow", allow},
  {"deny", deny},
  {"close", close_address},
  {"refusal", refusal_of},
  {"check", check},
  {"refuse", refuse},
  {"listens", listens},
  {NULL, NULL},
};
