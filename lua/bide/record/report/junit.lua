---Writes outcomes as JUnit XML, which systems for continuous integration read: a test case for each wait.

local reasons = require "bide.wait.reasons"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"

local M = {}

local entities = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

---Returns a text for XML, in which no control character may be, nor U+FFFE and U+FFFF.
local function escaped(text)
  return (shown.line(text):gsub('[&<>"]', entities):gsub("\xEF\xBF[\xBE\xBF]", { ["\xEF\xBF\xBE"] = "\\u{FFFE}",
    ["\xEF\xBF\xBF"] = "\\u{FFFF}" }))
end

---Returns the contents of a test case, by the kind of its end.
local function inner(kind, record)
  local message = escaped(secret.clear(record).message)
  if kind == "success" then return ("      <system-out>%s</system-out>\n"):format(message) end
  if kind == "skipped" then return ('      <skipped message="%s"/>\n'):format(message) end
  return ('      <%s type="%s" message="%s"/>\n'):format(kind, record.reason, message)
end

---Returns the kind of the end of a wait. A wait that was cancelled, or whose failure does not count, is skipped.
local function kind_of(record, is_success)
  if record.state == "success" then return "success" end
  if is_success then return "skipped" end
  local row = reasons.rows[record.reason]
  return row and row.junit or "failure" -- a journal may have a reason of a later release
end

local page = [[
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="bide" tests="%d" failures="%d" errors="%d" skipped="%d" time="%.3f">
%s  </testsuite>
</testsuites>
]]

---@class bide.JunitCase
---@field name string of the wait
---@field record table its outcome

---@param cases bide.JunitCase[]
---@param is_success boolean whether the run succeeded
---@return string document
function M.document(cases, is_success)
  local count, lines, longest = { failure = 0, error = 0, skipped = 0, success = 0 }, {}, 0
  for position, case in ipairs(cases) do
    local record, kind = case.record, kind_of(case.record, is_success)
    count[kind], longest = count[kind] + 1, math.max(longest, record.elapsed)
    lines[position] = ('    <testcase classname="%s" name="%s" time="%.3f">\n%s    </testcase>\n'):format(
      escaped(record.waiter), escaped(case.name), record.elapsed, inner(kind, record))
  end
  return page:format(#cases, count.failure, count.error, count.skipped, longest, table.concat(lines))
end

return M
