---Cases of the recipe ldap. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local entry = { base = "cn=app,dc=shop", host = "directory" }
local directory = { host = "directory" }

return {
  recipe = "ldap",
  shapes.fails("EntryExists", "InvalidCredentials", entry),
  shapes.fails("EntryExists", "ConfidentialityRequired", entry),
  shapes.fails("EntryExists", "StrongerAuthRequired", entry),
  shapes.succeeds("EntryGone", entry, {
    { output = {} },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { error = { type = "NoSuchObject" } },
  }, { 0.05, 2.86 }),
  shapes.fails("EntryGone", "InvalidCredentials", entry),
  shapes.fails("EntryGone", "ConfidentialityRequired", entry),
  shapes.fails("EntryGone", "StrongerAuthRequired", entry),
  shapes.fails("LdapReady", "InvalidCredentials", directory),
  shapes.fails("LdapReady", "ConfidentialityRequired", directory),
  shapes.fails("LdapReady", "StrongerAuthRequired", directory),
  shapes.succeeds("EntryExists", entry, {
    { error = { type = "NoSuchObject" } },
    { output = {} },
    { error = { type = "Busy" }, duration = 300 },
    { output = { entry = { dn = "cn=app,dc=shop" } } },
  }, { 0.05, 0.05, 2.86 }),
  {
    name = "EntryGone waits while there is the entry",
    waiter = "EntryGone",
    input = entry,
    answers = {
      { output = { entry = { dn = "cn=app,dc=shop" } } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { error = { type = "NoSuchObject" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  shapes.succeeds("LdapReady", directory, {
    { error = { type = "NoSuchObject" } },
    { output = {} },
    { error = { type = "Unavailable" }, duration = 300 },
    { output = { entry = { dn = "" } } },
  }, { 0.05, 0.05, 2.86 }),
}
