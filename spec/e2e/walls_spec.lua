---The kernel's walls behind --sandbox, proven from within by C code that no whitelist of Lua holds: a library that is
---preloaded into the real program, and that scripts call as os.difftime. `make static-walls` links it with a static one.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local read = require "spec.support.read"
local uv = require "luv"

local SOURCE = "spec/support/walls/probes.c"

---Whether the program has the probes within itself.
local is_linked = process.bide:find("static/walls/", 1, true) ~= nil

---The names of the probes, in the order of the library.
local function names()
  local list = {}
  for name in read(SOURCE):gmatch '\n  {"([^"]+)", %u+, [%w_]+}' do list[#list + 1] = name end
  return list
end

---What does not depend on the walls: it works with them and without, or this kernel may refuse it in any case.
local function holds_anyway(name)
  local refused_elsewhere = { ["sets up a ring"] = true, ["calls as 32 bits do"] = true, ["calls as x32 does"] = true,
    ["writes a core"] = true, ["changes an attribute"] = true, ["types into the terminal"] = true,
    ["makes a socket of machines"] = true, ["lets memory run by a key"] = true, ["starts a thread with users of its own"] = true,
    ["lets others trace it"] = true, ["sets the flags of a file"] = true, ["slows another's files"] = true,
    ["makes a raw socket"] = true, ["makes a socket of another protocol"] = true, ["opens a POSIX queue"] = true,
    ["watches all files"] = true, ["moves its own memory"] = true, ["calls what does not exist"] = true }
  return name:find("(works)", 1, true) or refused_elsewhere[name]
end

describe("behind the walls of --sandbox", function()
  if process.is_static and not is_linked then return pending(process.NO_PRELOAD) end

  local workspace = Workspace.of_block()
  local outside = Workspace.of_block()
  local library
  local results = {}

  local function environment()
    if is_linked then return { OUTSIDE = outside.path } end
    local preloaded = process.is_sanitized and os.getenv "LD_PRELOAD" .. " " .. library or library
    return { LD_PRELOAD = preloaded, OUTSIDE = outside.path,
      ASAN_OPTIONS = "detect_leaks=0:allow_user_segv_handler=1:verify_asan_link_order=0" }
  end

  ---Runs the probes. The shell is their parent, which some of them slow down for good, and which must not be this process.
  local function run_all(...)
    workspace:write("victim", "victim")
    workspace:write("victim-to-remove", "")
    workspace:write("script.lua", "for number = 1, 200 do print(number, os.difftime(number, 0)) end")
    local command = { "sh", "-c", '"$0" exec "$@"; exit $?', uv.fs_realpath(process.bide), ... }
    local done = process.run(command, { cwd = workspace.path, env = environment() })
    assert.equal(0, done.code, done.stderr)
    local found = {}
    for number, result in done.stdout:gmatch "(%d+)\t(-?%d+)" do found[tonumber(number)] = tonumber(result) end
    return found
  end

  setup(function()
    outside:write("secret", "secret")
    library = workspace.path .. "/probes.so"
    local built = process.run({ "cc", "-shared", "-fPIC", "-w", "-o", library, SOURCE, "-lpthread" }, { tool = true })
    assert(built.code == 0, built.stderr)
    results.within = run_all("--sandbox", "--memory", "64M", "script.lua")
    results.without = run_all "script.lua"
    built = process.run({ "cc", "-w", "-o", workspace.path .. "/without", "spec/support/walls/without.c", "-lseccomp" },
      { tool = true })
    assert(built.code == 0, built.stderr)
    workspace:write("recipe.lua", [[print("at once", os.difftime(1, 0), os.difftime(9, 0), os.difftime(27, 0))
      return { Op = { call = function() print("in a call", os.difftime(1, 0)) return {} end,
        waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    workspace:write("answers.jsonl", '{"output": {}}\n')
  end)

  for number, name in ipairs(names()) do
    local is_about_memory = name:find "memory than it may"
    it("code that " .. name, function()
      if is_about_memory and process.is_sanitized then return pending "a sanitizer takes more in any case" end
      assert.equal(0, results.within[number], "within")
      if not holds_anyway(name) then assert.not_equal(0, results.without[number], "without") end
    end)
  end

  it("is all code, from the first line of a recipe", function()
    for _, words in ipairs {
      { "list", "recipe.lua" }, { "plan", "recipe.lua", "--max-wait", "1s" }, { "run", "recipe.lua", "--max-wait", "5s" },
      { "replay", "recipe.lua", "Done", "answers.jsonl", "--max-wait", "1s" },
      { "query", "@", "answers.jsonl", "--with", "recipe.lua" },
    } do
      table.insert(words, "--sandbox")
      local done = workspace:bide(words, { env = environment() })
      done:says(0, "at once\t0.0\t0.0\t0.0")
      if words[1] == "run" then assert.matches("in a call\t0.0", done.stderr, 1, true) end
    end
  end)

  it("is COMMAND not", function()
    local done = workspace:bide({ "run", "recipe.lua", "--sandbox", "--max-wait", "50s", "--", "sh", "-c",
      "cat $OUTSIDE/secret; echo >written; grep NoNewPrivs /proc/self/status" }, { env = environment() })
    assert.equal("secretNoNewPrivs:\t0\n", done.stdout, done.stderr)
    assert.truthy(uv.fs_stat(workspace.path .. "/written"))
  end)

  describe("where the kernel lacks one", function()
    local unsupported = is_linked and "Not supported" or "Operation not supported"
    local lacking = { landlock = ("Landlock, which keeps files from scripts (%s)"):format(unsupported),
      seccomp = "seccomp, which keeps programs, processes and sockets of this machine from scripts (Invalid argument)" }

    local function run_without(wall, ...)
      local command = { workspace.path .. "/without", wall, uv.fs_realpath(process.bide), "run", "recipe.lua",
        "--max-wait", "50s", "--quiet", ... }
      return process.run(command, { cwd = workspace.path, env = environment() })
    end

    for wall, text in pairs(lacking) do
      it("bide warns of " .. wall, function()
        run_without(wall, "--sandbox"):says(0, "bide: warning: this kernel lacks " .. text .. "\n")
      end)

      it("bide refuses with strict to run without " .. wall, function()
        local done = run_without(wall, "--sandbox=strict")
        assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
        assert.matches("--sandbox=strict: this kernel lacks " .. text, done.stderr, 1, true)
        assert.not_matches("at once", done.stderr)
      end)
    end
  end)

  it("stand with strict where the kernel has them, and without a warning", function()
    for _, option in ipairs { "--sandbox", "--sandbox=strict" } do
      local done = workspace:bide({ "run", option, "recipe.lua", "--max-wait", "50s", "--quiet" }, { env = environment() })
      assert.equal(0, done.code, done.stderr)
      assert.not_matches("warning", done.stderr)
    end
  end)

  it("are asked for by a word that is known", function()
    local done = workspace:bide { "list", "--sandbox=hard", "recipe.lua" }
    done:says(2, '--sandbox: expected --sandbox or --sandbox=strict, found "hard"')
  end)
end)
