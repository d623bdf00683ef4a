---A resolver that takes 20 seconds: a library to preload, whose getaddrinfo writes "resolving" to standard error and sleeps
---before it says that it knows no such name.

local process = require "spec.support.process"

local source = [[
#define _GNU_SOURCE
#include <netdb.h>
#include <unistd.h>

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **result) {
  (void)node; (void)service; (void)hints; (void)result;
  if (write(2, "resolving\n", 10) == 10)
    sleep(20);
  return EAI_NONAME;
}
]]

---Returns the library's path.
---@param directory spec.Directory
---@return string
return function(directory)
  local file = directory:write("slow_resolver.c", source)
  local library = directory.path .. "/slow_resolver.so"
  local done = process.run({ "cc", "-shared", "-fPIC", "-o", library, file }, { tool = true })
  assert(done.code == 0, done.stderr)
  return library
end
