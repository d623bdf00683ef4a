---In a root without /proc, whose ps lists nothing or is not there, ProcessGone succeeded for a process that ran: none was
---found, and nothing asked whether any could have been.

local process = require "spec.support.process"
local uv = require "luv"

if process.is_sanitized then return end -- the tools that make the root would be preloaded as well

---Words that run a line of shell in which /proc is empty.
local function words_without_proc()
  local words = { "unshare", "--mount" }
  if uv.getuid() ~= 0 then words = { "unshare", "--user", "--map-root-user", "--mount" } end
  return table.move({ "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh" }, 1, 4, #words + 1, words)
end

describe("without /proc", function()
  local sleeper, lack

  setup(function()
    sleeper = process.start({ "sleep", "60" }, { tool = true })
    local words = words_without_proc()
    words[#words + 1] = "true"
    local tried = process.run(words, { tool = true })
    if tried.code ~= 0 then lack = "a mount of its own is not allowed here: " .. tried.stderr end
  end)
  teardown(function()
    sleeper:kill()
    sleeper:wait()
  end)

  ---@param path string|false? PATH
  local function run(path, ...)
    local words = words_without_proc()
    for _, word in ipairs { "env", "PATH=" .. (path or os.getenv "PATH"), uv.fs_realpath(process.bide), "process", "--max-wait",
      "300ms", "--quiet", ... } do
      words[#words + 1] = word
    end
    return process.run(words, { tool = true })
  end

  for name, path in pairs { ["whose ps lists nothing"] = false, ["with no ps at all"] = "/nowhere" } do
    it("in a root " .. name .. " no process counts as gone by its name", function()
      if lack then return pending(lack) end
      local done = run(path, "ProcessGone", "name=sleep")
      done:says(1, "ProcessesHidden")
      done = run(path, "ProcessGone", "name=sleep", "--invert")
      assert.equal(124, done.code, done.stdout .. done.stderr)
    end)

    it("in a root " .. name .. " a number counts as gone where the kernel says so", function()
      if lack then return pending(lack) end
      run(path, "ProcessGone", "pid=" .. sleeper.pid):ends(1)
      assert.equal(0, run(path, "ProcessGone", "pid=4194303").code)
    end)
  end
end)
