---Waits until a file of any type exists. Or, with FileGone, until it does not; with FilesCounted or FilesGone, until
---enough or no files fit a pattern; with LineFound, until a log, which is followed, gets a line.
---The system says when a file comes, goes or changes, and it is looked at then. Besides, a poll is cheap:
---the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run file /var/log/app.log expect=ready stable=5s --max-wait 10m
---    bide run file FilesCounted '/in/*.csv' count=3 stable=5s --max-wait 10m
---    bide run file LineFound /var/log/app.log 'listening on \d+' failed=panic --max-wait 1m
---
---A link that leads to no file exists, but is not a file: neither FileExists nor FileGone succeeds then.
---LineFound is one attempt. A log that is older than 10 s is read from its end, which an outcome says; from=start looks at
---every line. With --resume it begins anew.

local acceptor = require "bide.acceptor"
local events = require "bide.file.events"
local expect = require "bide.expect"
local file = require "bide.file"
local follow = require "bide.file.follow"
local glob = require "bide.file.glob"

local function prepare_look(input)
  if input.path:find "[*?]" or input.path:find "{[^{}]*,[^{}]*}" then
    return nil, ("path: expected one file, found the pattern %q: FilesCounted and FilesGone take one"):format(input.path)
  end
  local options = { content = input.expect ~= nil, stable = input.stable }
  return function()
    local found = file(input.path, options)
    if input.expect then expect(found.content, nil, input.expect) end
    found.content = nil
    return found
  end
end

local function watch(input, wake)
  events.watch(input.path, wake)
end

local function prepare_follow(input)
  return function() return follow.line(input) end
end

---A file that may not be read is a failure: waiting does not help.
local function waiter(members, ...)
  members.minDelay, members.maxDelay, members.lateness = 0.05, 5, 0.05
  members.acceptors = {
    acceptor.error("retry", "NotStable"), acceptor.error("retry", "UnexpectedValue"),
    acceptor.error("retry", "DanglingLink"), ...,
  }
  return members
end

return {
  Look = {
    place = "local",
    prepare = prepare_look,
    watch = watch,
    fact = "'the file is there'",
    input = {
      path = { type = "path", required = true, positional = 1, example = "/run/app.pid", documentation = "The file." },
      expect = { type = "string", documentation = "A text that the file must contain." },
      stable = { type = "duration", documentation = "How long the file must have stayed unchanged." },
    },
    default = "FileExists",
    waitable = {
      FileExists = waiter({
        documentation = "Waits until a file exists.",
        countsAsReady = "the file is there, links followed; expect is in it, and nothing was written to it within stable",
        opposite = "FileGone",
      }, acceptor.success(), acceptor.error("retry", "NotFound")),
      FileGone = waiter({
        documentation = "Waits until there is no such file.",
        countsAsGone = "the system says that there is nothing of that name (ENOENT), not even a link",
        opposite = "FileExists",
      }, acceptor.error("success", "NotFound")),
    },
  },
  Count = {
    place = "local",
    prepare = glob.prepare,
    output = {
      count = { type = "integer" },
      enough = { type = "boolean" },
      gone = { type = "boolean" },
      first = { type = "object" },
      last = { type = "object" },
    },
    watch = watch,
    input = glob.inputs(),
    waitable = {
      FilesCounted = waiter({
        documentation = "Waits until enough files fit a pattern.",
        countsAsReady = "at least count files have names that fit, and the ages that stable and age ask for",
        opposite = "FilesGone",
      }, acceptor.output("success", "enough")),
      FilesGone = waiter({
        documentation = "Waits until no file fits a pattern.",
        countsAsGone = "each folder of the pattern was listed or does not exist, and no name fits, of a link either; with age, "
          .. "none that was written to within it",
        opposite = "FilesCounted",
      }, acceptor.output("success", "gone")),
    },
  },
  Follow = {
    place = "local",
    prepare = prepare_follow,
    check = expect.mistake_of_needed_matches,
    fact = "line",
    input = follow.inputs(),
    waitable = {
      LineFound = waiter({
        documentation = "Waits until a log gets a line.",
        countsAsReady = "a line that has ended matches",
      }, acceptor.success(), acceptor.error("failure", "FailedLine"), acceptor.error("failure", "MatchLimit")),
    },
  },
}
