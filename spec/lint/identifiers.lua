---Identifiers that the glossary has renamed (docs/architecture.md, "The words"): none of them may come back, as the name
---of a type, function, module, file, field or option. Words with another meaning stay: the public members `seen` and
---`tries`, the kinds of Kubernetes objects and of values, the shapes of an analysis.

---Each is a pattern of a whole identifier, or of a module's name, what to write in its place, and, if there are any, the
---files that may have it.
local refused = {
  { "BideLimits", "BideWaitLimits" },
  { "bide_limits_[%w_]+", "bide_wait_limits_…" },
  { "BideTaskLimits", "BideScriptLimits" },
  { "bide_tasks_limit", "bide_tasks_limit_scripts" },
  { "[Bb]ide%.task_limits", "bide.task.script_limits" },
  { "[%w_]*allowance[%w_]*", "script limits" },
  { "look", "check, or callback" },
  { "looks?_at_[%w_]+", "check_…" },
  { "bide_task_look", "bide_task_check" },
  { "LOOK", "INTERVAL, of checks" },
  { "[%w_]*hee[dt]e?d?_[%w_]+", "handle_…, or check_…" },
  { "BideKind", "BideClass" },
  { "bide_kind_[%w_]+", "bide_class_…" },
  { "BidePiece", "packed" },
  { "bide_pieces?_[%w_]+", "bide_packed_…" },
  { "BideComparator", "BideOperator, within JMESPath", "^src/wait/", "^src/host/api/" },
  { "bide_comparator_[%w_]+", "bide_operator_…", "^src/wait/", "^src/host/api/" },
  { "bide_shape_read", "bide_shape_table_read" },
  { "bide_shape_push", "bide_shape_table_push" },
  { "bide_http_failure_[%w_]+", "bide_http_error_…" },
  { "[Mm]anners?", "policy" },
  { "set_manners", "set_behaviour" },
  { "conduct", "policy" },
  { "relays?", "coroutines" },
  { "is_passing", "is_transient" },
  { "told", "reported, or the name of the list" },
  { "MOST_TOLD", "MOST_REPORTED" },
  { "tells?_of_[%w_]+", "reports_…, or is_…" },
  { "who", "the noun: caller, item, wait" },
  { "story", "report" },
  { "step_out", "leave" },
  { "passing", "transient", "^lua/bide/acceptor%.lua$", "^src/jmespath/stream%.c$" },
}

---Names of files: the last part of a path, without its ending.
local files = { "kind", "look", "piece", "manner", "conduct", "allowance", "seen", "tries", "relay", "heed", "http_failure" }

local function may_have(rule, file)
  for place = 3, #rule do
    if file:find(rule[place]) then return true end
  end
  return false
end

local function check_name(file, report)
  local name = file:match "([%w_]+)%.%l+$"
  for _, old in ipairs(files) do
    if name == old then report(1, "a file of this name: see the words of docs/architecture.md") end
  end
end

---The code of a line: without its texts, and without a comment.
local function code_of(line, state)
  if state.inside then
    state.inside = not line:find("*/", 1, true)
    return ""
  end
  local begin = line:find("/*", 1, true)
  state.inside = begin ~= nil and not line:find("*/", begin, true)
  if begin then line = line:sub(1, begin - 1) end
  return (line:gsub('"[^"]*"', '""'):gsub("'[^']*'", "''"):gsub("%-%-.*", ""))
end

---@param file string a file of C or Lua below src or lua
---@param report fun(line: integer, text: string)
return function(file, report)
  check_name(file, report)
  local is_c, number, state = file:find "%.[ch]$" ~= nil, 0, {}
  for line in io.lines(file) do
    number = number + 1
    local code = is_c and code_of(line, state) or code_of((line:gsub("/%*", "")), {})
    for _, rule in ipairs(refused) do
      local found = code:match("%f[%w_]" .. rule[1] .. "%f[^%w_]")
      if found and not may_have(rule, file) then report(number, ("%s is an old word: write %s"):format(found, rule[2])) end
    end
  end
end
