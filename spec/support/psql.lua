---A psql that stays, since a new one for each statement, with a new process of the server, takes ten times as long.
---
---    local session = Session.start { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1" }
---    local printed, message = session:run "SELECT 1"
---    session:close()

local uv = require "luv"
local process = require "spec.support.process"

---@class spec.Psql
---@field private process spec.Process
local Session = {}
Session.__index = Session

---What psql prints before what a statement prints, and after it.
local BEGIN, END = "<bide begins>\n", "<bide ends>\n"

---Lets statements find nothing of those before them, as in a new session: psql reads on after an error in none of these.
local lines = ([[
DISCARD ALL;
\echo '%s'
%%s
;
ROLLBACK;
\echo '%s'
]]):format(BEGIN:sub(1, -2), END:sub(1, -2))

---A statement that hangs is worse than one that fails.
local LONGEST = 60000 -- milliseconds

---@param command string[] psql with its options, ON_ERROR_STOP among them
---@return spec.Psql
function Session.start(command)
  local started = process.start(command, { tool = true, cwd = "/", longest = 3600, keeps_stdin = true })
  started:hold_loop(false)
  return setmetatable({ process = started }, Session)
end

---Sends statements, and waits until they are carried out, or psql has ended.
---@param text string
---@return string? printed nil where one has failed
---@return string message what psql said, and what it printed before
---@return boolean begun whether the server may have carried out any of them
function Session:run(text)
  local psql, timer = self.process, uv.new_timer()
  psql.stdout, psql.stderr = "", ""
  psql.pipes[1]:write(lines:format(text))
  psql:hold_loop(true)
  timer:start(LONGEST, 0, function()
    psql.stderr = psql.stderr .. "psql did not end in a minute\n"
    psql:kill "sigkill"
  end)
  while not psql.stdout:find(END, 1, true) and (not psql.code or psql.open > 0) do uv.run "once" end
  timer:close()
  if not psql.code then psql:hold_loop(false) end
  local begun, printed = psql.stdout:match("^(" .. BEGIN .. ")(.*)")
  local ended = begun and printed:find(END, 1, true)
  return ended and printed:sub(1, ended - 1) or nil, psql.stderr .. psql.stdout, begun ~= nil
end

---Ends it, and waits until it has ended.
function Session:close()
  self.process.pipes[1]:close()
  self.process:wait()
end

return Session
