---Waits until a command succeeds with exit code 0. If the command prints a JSON object, that is the output.
---
---    bide run command run='pg_isready -h db' --max-wait 30s
---    bide run command argv:='["kubectl","get","pod","web","-o","json"]' path=status.phase expect=Running --max-wait 5m
---
---run is a shell command, argv runs without a shell. path is a JMESPath: its value in the JSON must be `expect`, or true
---without `expect`. expect alone is a text that the command must print. Also: code=3, the exit code to wait for;
---timeout=5, the seconds for one attempt.

local exec, expect = require "bide.exec", require "bide.expect"
local check = require "bide.input" {
  optional = { "run", "path" }, seconds = { "timeout" }, numbers = { "code" }, commands = { "argv" }, values = { "expect" } }

---The last line that the command wrote, which mostly says why.
local function last_line(done)
  local line = (done.stderr .. "\n" .. done.stdout):match("([^\n]*%S[^\n]*)%s*$")
  return line and ": " .. line or ""
end

local function run(input)
  check(input)
  if (input.run ~= nil) == (input.argv ~= nil) then error { type = "InvalidInput", message = "expected either run or argv" } end
  local done = exec(input.run or input.argv, { shell = input.run and true, timeout = input.timeout })
  if done.code ~= (input.code or 0) then
    local is_missing = input.run and done.code == 127
    error { type = is_missing and "ProgramNotFound" or "CommandFailed", code = done.code,
      message = ("the exit code is %d%s"):format(done.code, last_line(done)) }
  end
  expect(done.stdout, input.path, input.expect)
  return done.stdout:find("^%s*{") and done:json() or { code = done.code, stdout = done.stdout }
end

local acceptors = { { state = "success", matcher = { success = true } } }
for _, name in ipairs { "CommandFailed", "ExecTimeout", "InvalidOutput", "UnexpectedValue" } do
  table.insert(acceptors, { state = "retry", matcher = { errorType = name } })
end

return { Run = { call = run, waitable = { CommandSucceeded = {
  documentation = "Waits until a command succeeds.", minDelay = 0.5, maxDelay = 10, acceptors = acceptors,
} } } }
