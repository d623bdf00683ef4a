---Without /proc, as in a chroot or in a hook of an image's build, bide did not find its own modules: it looked at /proc/self/exe
---alone, and told the user to start it by its path, which the user had done.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local uv = require "luv"

describe("bide without /proc", function()
  local workspace = Workspace.of_each()
  local program = assert(uv.fs_realpath(process.bide))

  before_each(function() workspace:write("ready", "yes") end)

  ---Runs a line of shell where /proc is an empty folder.
  local function run(line)
    local script = ("mount -t tmpfs none /proc && [ ! -e /proc/self ] || exit 99; cd '%s' && { %s ; }")
      :format(workspace.path, line)
    local words = { "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script }
    local done = process.run(words)
    if done.code == 99 or done.stderr:find "unshare: " then
      table.remove(words, 3)
      table.remove(words, 2)
      done = process.run(words) -- as root, where users have no namespaces
    end
    return done
  end

  for name, line in pairs {
    ["by its whole path"] = "'%s' run file ready --max-wait 50s",
    ["by a relative path"] = "ln -s '%s' started && ./started run file ready --max-wait 50s",
    ["by a name in PATH"] = "ln -s '%s' bide-here && PATH=.:$PATH bide-here run file ready --max-wait 50s",
    ["by another name for argv[0]"] = "bash -c \"exec -a nothing '%s' run file ready --max-wait 5s\"",
    ["with a COMMAND"] = "'%s' run file ready --max-wait 50s --quiet -- cat ready",
  } do
    it("starts " .. name, function()
      local done = run(line:format(program))
      if done.code == 99 or done.stderr:find "unshare: " then return pending "there are no namespaces of mounts here" end
      assert.equal(0, done.code, done.stderr)
      assert.matches(name == "with a COMMAND" and "^yes" or "FileExists succeeded", done.stdout, 1)
    end)
  end
end)
