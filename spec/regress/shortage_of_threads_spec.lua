---Where the system had no thread left to look up a name, the request failed with NameNotResolved.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local process = require "spec.support.process"

---A library to preload: no thread can be made as long as there is the file $NO_THREADS.
local source = [[
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>
#include <stdlib.h>
#include <unistd.h>

typedef int Create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context) {
  Create *create;
  if (access(getenv("NO_THREADS"), F_OK) == 0)
    return EAGAIN;
  *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
  return create(thread, attributes, run, context);
}
]]

local recipe = [[
local bide, http = require "bide", require "bide.http"
http.version() -- loads libcurl

local asks = {
  http = function() return http.get "http://no-such-host.invalid/" end,
  tcp = function() return bide.tcp { host = "no-such-host.invalid", port = 1 } end,
  dns = function() return bide.dns "no-such-host.invalid" end,
}

return { Op = { call = function(input)
  io.open("threads", "w"):close()
  if input.seconds then bide.spawn(function() bide.sleep(input.seconds) os.remove "threads" end) end
  return asks[input.ask]()
end, waitable = { Gone = { acceptors = { { state = "success", matcher = { success = false } } } } } } }
]]

describe("a shortage of threads", function()
  if process.is_sanitized then return end -- whose library makes threads as well
  if process.is_static then return pending(process.NO_PRELOAD) end
  local workspace = Workspace.of_block()
  local environment

  setup(function()
    workspace:write("recipe.lua", recipe)
    local library = workspace.path .. "/no_threads.so"
    local file = workspace:write("no_threads.c", source)
    local done = process.run({ "cc", "-shared", "-fPIC", "-o", library, file, "-ldl" }, { tool = true })
    assert(done.code == 0, done.stderr)
    environment = { LD_PRELOAD = library, NO_THREADS = workspace.path .. "/threads" }
  end)

  local function run(ask, ...)
    os.remove(environment.NO_THREADS)
    local done = workspace:bide({ "run", "recipe.lua", "ask=" .. ask, "--output", "json", "--quiet", ... }, { env = environment })
    return core.json.decode(done.stdout), done
  end

  for _, ask in ipairs { "http", "tcp", "dns" } do
    it("is no answer: " .. ask, function()
      local outcome, done = run(ask, "--max-wait", "300ms")
      assert.equal(124, done.code, done.stderr)
      assert.matches("bide itself had no thread left: EAGAIN, ", outcome.message, 1, true)
    end)

    it("is waited out: " .. ask, function()
      local outcome, done = run(ask, "seconds:=0.1", "--max-wait", "20s")
      assert.equal(0, done.code, done.stderr)
      assert.matches("no-such-host.invalid", outcome.error.message, 1, true)
      assert.matches("waited, since bide had no thread left", outcome.history[1].note, 1, true)
    end)
  end
end)
