---A resolver that counts: a library to preload, whose getaddrinfo takes a minute for names that begin with "slow",
---and knows no such name then; every other name is 127.0.0.1. Each name it is asked for is a line of the file in
---$LOOKUPS; where that cannot be opened it knows no name, as glibc's where it cannot open /etc/hosts.

local process = require "spec.support.process"

local source = [[
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Resolve(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static int note(const char *name) {
  char line[256];
  int file = open(getenv("LOOKUPS"), O_WRONLY | O_APPEND | O_CREAT, 0600);
  strcpy(line, name);
  strcat(line, "\n");
  if (file < 0 || write(file, line, strlen(line)) < 0)
    return -1;
  return close(file);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  struct addrinfo numeric = {0};
  Resolve *resolve;
  if (note(name) != 0)
    return EAI_NONAME;
  if (strncmp(name, "slow", 4) == 0) {
    sleep(60);
    return EAI_NONAME;
  }
  numeric.ai_socktype = SOCK_STREAM;
  numeric.ai_flags = AI_NUMERICHOST;
  *(void **)&resolve = dlsym(RTLD_NEXT, "getaddrinfo");
  return resolve("127.0.0.1", service, &numeric, result);
}
]]

local M = {}

---Builds the library in a folder.
---@param directory spec.Directory
---@return table<string, string> environment for a process that is to use it
function M.make(directory)
  local file = directory:write("counting_resolver.c", source)
  local library = directory.path .. "/counting_resolver.so"
  local done = process.run({ "cc", "-shared", "-fPIC", "-o", library, file, "-ldl" }, { tool = true })
  assert(done.code == 0, done.stderr)
  local preload = os.getenv "LD_PRELOAD"
  return { LD_PRELOAD = preload and preload .. ":" .. library or library, LOOKUPS = directory.path .. "/lookups" }
end

---How often each name was asked for.
---@param directory spec.Directory
---@return table<string, integer>
function M.count(directory)
  local counts, handle = {}, io.open(directory.path .. "/lookups")
  for name in handle and handle:lines() or function() end do counts[name] = (counts[name] or 0) + 1 end
  if handle then handle:close() end
  return counts
end

return M
