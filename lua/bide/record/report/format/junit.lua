---Writes outcomes as JUnit XML, which systems for continuous integration read: a test case for each wait.

local shown = require "bide.text.shown"

local M = {}

local entities = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

---Returns a text for XML, in which no control character may be, nor U+FFFE and U+FFFF.
---@param text string
---@return string
local function escaped(text)
  return (shown.line(text):gsub('[&<>"]', entities):gsub("\xEF\xBF[\xBE\xBF]", { ["\xEF\xBF\xBE"] = "\\u{FFFE}",
    ["\xEF\xBF\xBF"] = "\\u{FFFF}" }))
end

---Returns the contents of a test case, by the kind of its end. A wait that was cancelled, or whose failure does not count,
---is skipped.
---@param wait bide.ReportedWait
local function inner(wait)
  local message = escaped(wait.message)
  if wait.junit == "success" then return ("      <system-out>%s</system-out>\n"):format(message) end
  if wait.junit == "skipped" then return ('      <skipped message="%s"/>\n'):format(message) end
  return ('      <%s type="%s" message="%s"/>\n'):format(wait.junit, escaped(wait.reason or wait.ended), message)
end

M.escaped = escaped

local page = [[
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="bide" tests="%d" failures="%d" errors="%d" skipped="%d" time="%.3f">
%s  </testsuite>
</testsuites>
]]

---@param run bide.ReportedRun
---@return string document
function M.document(run)
  local count, lines, longest = { failure = 0, error = 0, skipped = 0, success = 0 }, {}, 0
  for wait in run:waits() do
    count[wait.junit], longest = count[wait.junit] + 1, math.max(longest, wait.elapsed)
    lines[#lines + 1] = ('    <testcase classname="%s" name="%s" time="%.3f">\n%s    </testcase>\n'):format(
      escaped(wait.waiter), escaped(wait.name), wait.elapsed, inner(wait))
  end
  return page:format(#lines, count.failure, count.error, count.skipped, longest, table.concat(lines))
end

return M
