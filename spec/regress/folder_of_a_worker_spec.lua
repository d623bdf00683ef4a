---A worker looked for a file in its own folder, and ran a command there: `bide run file done --store` succeeded although the
---folder in which it was typed has no such file, and COMMAND ran. An answer from there was given for a submit token, too.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

---Lines that would succeed in the folder a, and do not in b.
local lines = {
  "file done", "file FilesCounted 'd*'", "file FilesGone 'n*'", "process pid_file=done", "command 'test -e done'",
  [[command 'argv:=["test","-e","done"]']], "command 'test -e done' folder=.", "git_ref RefExists . main",
}

describe("a wait in a store, whose worker is in another folder", function()
  local workspace = Workspace.of_each()
  local worker

  before_each(function()
    for _, name in ipairs { "a", "b" } do uv.fs_mkdir(workspace.path .. "/" .. name, 448) end
    workspace:write("a/done", ("%d\n"):format(uv.os_getpid()))
    workspace:write("b/not", "")
    workspace:shell('"$BIDE" submit tcp 127.0.0.1:1 --max-wait 1ms --store s'):ends(0)
    worker = workspace:start({ "worker", "--store", workspace.path .. "/s" }, { cwd = workspace.path .. "/a" })
  end)
  after_each(function()
    worker:kill "sigterm"
    worker:wait()
  end)

  ---Submits a wait in a folder; its worker makes attempts until then.
  local function submit(folder, line)
    return tonumber(workspace:shell(('cd %s; "$BIDE" submit %s --store ../s'):format(folder, line)).stdout)
  end

  local function run(folder, line)
    return workspace:shell(('cd %s; "$BIDE" run %s --store ../s --quiet -- echo COMMAND'):format(folder, line))
  end

  for _, line in ipairs(lines) do
    it("is left to others: " .. line, function()
      local number = submit("b", line .. " --max-wait 50s")
      worker:wait_for_output "it is about the folder %S+/b, and this worker is in %S+/a"
      local shown = workspace:shell(('"$BIDE" jobs show %d --store s'):format(number))
      assert.matches('"attempts": 0', shown.stdout, 1, true)
      workspace:shell(('"$BIDE" jobs cancel %d --store s'):format(number)):ends(0)
    end)
  end

  for _, line in ipairs { "file done", "command 'test -e done'" } do
    it("is made from the folder of the worker: " .. line, function()
      assert.equal("COMMAND\n", run("a", line .. " --max-wait 50s").stdout)
    end)
  end

  for _, line in ipairs { 'file "$PWD/../a/done"', 'command "test -e done" folder="$PWD/../a"', 'command true folder=/' } do
    it("is made if it says its folder: " .. line, function()
      assert.equal("COMMAND\n", run("b", line .. " --max-wait 50s").stdout)
    end)
  end

  it("is made if such inputs mean something else", function()
    workspace:write("b/mail.lua", [[return { Count = {
      input = { folder = { type = "string" }, path = { type = "string" } },
      call = function(input) return { path = input.path, has_folder = input.folder ~= nil } end,
      waitable = { Counted = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    assert.equal("COMMAND\n", run("b", "./mail.lua path=inbox --until 'path==`\"inbox\"` && !has_folder' --max-wait 50s").stdout)
  end)

  it("gets no answer from there for its token", function()
    run("a", "file done --max-wait 50s --submit-token t"):ends(0)
    run("b", "file done --max-wait 50s --submit-token t"):says(2, "IdempotentParameterMismatch", "options.folder differs")
  end)
end)
