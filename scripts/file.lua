---Waits until a file of any type exists. Or, with FileGone, until it does not; with FilesCounted or FilesGone, until
---enough or no files fit a pattern; with LineFound, until a log, which is followed, gets a line.
---A file is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run file /var/log/app.log expect=ready stable=5s --max-wait 10m
---    bide run file FilesCounted '/in/*.csv' count=3 stable=5s --max-wait 10m
---    bide run file LineFound /var/log/app.log 'listening on %d+' failed=panic --max-wait 1m
---
---LineFound is one attempt. With --resume it begins at the end that the log then has; from=start looks at every line.

local acceptor, expect, file = require "bide.acceptor", require "bide.expect", require "bide.file"
local follow, glob = require "bide.file.follow", require "bide.file.glob"
local missing, failed = acceptor.error("retry", "NotFound"), acceptor.error("failure", "FailedLine")

local function look(input)
  local found = file(input.path, { content = input.expect ~= nil, stable = input.stable })
  if input.expect then expect(found.content, nil, input.expect) end
  found.content = nil
  return found
end

---A file that may not be read is a failure: waiting does not help.
local function waiter(documentation, opposite, ...)
  return { documentation = documentation, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = {
    acceptor.error("retry", "NotStable"), acceptor.error("retry", "UnexpectedValue"), ... } }
end

return { Look = { call = look, input = {
  path = { type = "string", required = true, positional = 1, example = "/run/app.pid", documentation = "The file." },
  expect = { type = "string", documentation = "A text that the file must contain." },
  stable = { type = "duration", documentation = "How long the file must have stayed unchanged." },
}, default = "FileExists", waitable = {
  FileExists = waiter("Waits until a file exists.", "FileGone", acceptor.success(), missing),
  FileGone = waiter("Waits until there is no such file.", "FileExists", acceptor.error("success", "NotFound")) },
}, Count = { call = glob.count, input = glob.inputs(), waitable = {
  FilesCounted = waiter("Waits until enough files fit a pattern.", "FilesGone", acceptor.output("success", "enough")),
  FilesGone = waiter("Waits until no file fits a pattern.", "FilesCounted", acceptor.output("success", "!first")) },
}, Follow = { call = follow.line, input = follow.inputs(),
  check = function(input) return expect.mistake_of_pattern(input.matches) end,
  waitable = { LineFound = waiter("Waits until a log gets a line.", nil, acceptor.success(), failed) } } }
