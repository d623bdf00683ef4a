---Checks answers by what an input expects of them: `path`, `xpath`, `expect`, `matches`, `failed` and `message`, as the recipes
---`http` and `command` take them. Where the recipe itself knows what to wait for, an acceptor says it better.
---
---    local expect = require "bide.expect"
---    return { Get = {
---      input = expect.inputs { url = { type = "string", required = true } }, check = expect.mistake,
---      call = function(input)
---        local response = http.get(input.url)
---        return expect.text(response.body, input, response)
---      end,
---      waitable = { Expected = { acceptors = { expect.failure(), expect.success() } } },
---    } }
---
---The module is a function as well: `expect(text, path, wanted)`.

local answer = require "bide.probe.asking.answer"
local by_path = require "bide.wait.expect.path"
local by_xpath = require "bide.wait.expect.xpath"
local comparators = require "bide.recipe.waiter.comparators"
local core = require "bide.core"
local line_search = require "bide.probe.asking.line_search"
local shown_text = require "bide.text.shown"
local shown_value = require "bide.wait.shown_value"
local operation = require "bide.probe.asking.operation"
local own_matcher = require "bide.text.own_matcher"
local patterns = require "bide.recipe.input.patterns"
local possible = require "bide.recipe.expression.possible"
local regex = require "bide.probe.asking.regex"
local retries = require "bide.task.retries"
local secret = require "bide.text.secret"
local tables = require "bide.text.tables"
local wanted_by = require "bide.wait.expect.wanted"

local json, find = core.json, core.pattern.find
local is_found, failed_texts = wanted_by.is_found, wanted_by.failed_texts

---@class bide.expect
---@overload fun(text: string, path?: string, wanted?: any): any
local M = {}

---The operation error for a text, or an exit code, that means failure.
local FAILED = "FailedValue"

---The operation error for a text for which a regular expression takes too long.
local OVER_LIMIT = "MatchLimit"

local function refuse(kind, format, ...)
  error({ type = kind, message = format:format(...) }, 0)
end

-- ---- one row -----------------------------------------------------------------------------------

---The texts of values that say no, or are empty, as databases write them, with their words.
local texts_of_nothing = { [""] = "empty", f = "f", ["false"] = "false", ["[]"] = "[]", ["{}"] = "{}" }

---Describes a value that is false, 0, empty or NULL; nil for any other.
---@return string?
local function nothing_of(value)
  if value == nil or value == json.null then return "NULL" end
  if type(value) == "table" then return next(value) == nil and "empty" or nil end
  return (value == false or tonumber(value) == 0) and tostring(value) or texts_of_nothing[value]
end

---Raises UnexpectedValue for the one row of a query such as SELECT EXISTS(…), count(*) or max(…) if its one value is false, 0,
---empty or NULL: such a row comes whatever there is, so it is neither a row that was found, nor none. Conditions of the command
---line have to see the row: with `--fail`, the attempt only says so, and with `--until` nothing does.
---@param rows integer? how many there are
---@param columns integer? how many each has
---@param row table? the first row; a value in it may be a text, and may be missing for NULL
---@param wait? bide.OperationWait the second argument of the operation
function M.row(rows, columns, row, wait)
  local nothing = nothing_of(row and select(2, next(row)))
  if rows ~= 1 or columns ~= 1 or not nothing then return end
  local words = ("the one value is %s, as EXISTS and count(*) give it in a row that always comes: select the rows that they are "
    .. "about"):format(nothing)
  if not wait then error({ type = "UnexpectedValue", message = words }, 0) end
  if wait.own_success then retries.remark(words) end
end

---The `witness` of an operation that returns `rows`, `columns` and `row`: as `row`, where the waiter's own success counts. A
---condition of `--fail` has seen the row before.
---@param context { output: { rows: integer?, columns: integer?, row: table? } }
---@param wait? bide.OperationWait
---@return true
function M.confirm_row(context, wait)
  local found = context.output
  if not wait or wait.own_success then M.row(found.rows, found.columns, found.row) end
  return true
end

-- ---- one text ----------------------------------------------------------------------------------

---Expects a value at a path. Messages and the result have no secrets in them.
local function expect_value(text, path, wanted)
  local expression, mistake = core.jmespath.compile(path)
  if not expression then refuse("InvalidInput", "the path %q: %s", path, tostring(mistake)) end
  local document, failure = answer.read(text)
  if not document then refuse("UnexpectedValue", "this is not JSON: %s", tostring(failure)) end
  local found, why = by_path.value_in(path, expression, document)
  if not found then refuse("UnexpectedValue", "%s", why) end
  local shown = shown_value.at(path, document, secret.any())
  if wanted == nil and not core.wait.is_yes(found, "success") then
    refuse("UnexpectedValue", "%s is %s", path, shown:json())
  end
  if wanted ~= nil and not is_found(found, wanted) then
    refuse("UnexpectedValue", "%s: expected %s, found %s", path, json.encode(wanted), shown:json())
  end
  return shown:value()
end

local function expect_text(text, wanted)
  wanted = wanted_by.text_of(wanted)
  if not text:find(wanted, 1, true) then refuse("UnexpectedValue", "the text %s was not found", json.encode(wanted)) end
end

---Checks a text. With a path, a JMESPath expression, it must be JSON for which that gives `wanted`; without `wanted`, true,
---or a list or an object that is not empty. Without a path, the text must contain `wanted`. Raises the operation error
---UnexpectedValue otherwise.
---@param text string
---@param path? string
---@param wanted? any
---@return any value the result of the path, without secrets
local function expect(_, text, path, wanted)
  if path then return expect_value(text, path, wanted) end
  if wanted ~= nil then expect_text(text, wanted) end
end

-- ---- inputs ------------------------------------------------------------------------------------

local function declaration()
  return {
    path = { type = "string", example = "status", asks = true,
      documentation = "A JMESPath over the JSON of the answer: its value must be `expect`; without `expect` true, or a list "
        .. "or an object that is not empty." },
    expect = { type = "any", asks = true,
      documentation = "The value of `path`; without `path` a text that the answer must contain." },
    xpath = { type = "string", asks = true, example = "//status",
      documentation = "In place of path: an XPath over XML or HTML. The text of a node that it finds must be `expect`; without "
        .. "`expect` it must find a node, or be true. An empty page may not do. What it finds is the member `found` of the "
        .. "output." },
    matches = { type = "string", asks = true, example = "version (\\d+)",
      documentation = "A regular expression that the text of the answer must match; its groups are the member `captures` of "
        .. "the output." },
    matches_lua = { type = "string", asks = true, documentation = "A Lua pattern that the text of the answer must match." },
    failed = { type = "list", of = { type = "string" }, example = { "failed", "cancelled" },
      documentation = "The values of `path` that mean failure; `true` means each but false, null, what is empty, 0, and the "
        .. "texts false, no, off, none and 0. Without `path` texts of the answer that mean failure." },
    message = { type = "string", example = "reason",
      documentation = "A JMESPath over the JSON: the reason of a failure. Default: message." },
  }
end

---Adds the declarations of path, xpath, expect, matches, matches_lua, failed and message to those of a recipe, which come first.
---@param own table<string, bide.InputMember>
---@return table<string, bide.InputMember>
function M.inputs(own)
  return tables.merged(declaration(), own)
end

---@return string? mistake in one line
local function mistake_of_path(name, path)
  if not path then return nil end
  local _, mistake = core.jmespath.compile(path)
  if not mistake then return nil end
  local foreign = require "bide.recipe.expression.foreign"
  local line = foreign.explain(tostring(mistake):match "^[^\n]*", path, function(expression, wanted)
    local words = ("%s=%s"):format(name, shown_text.word(expression))
    if name ~= "path" or not wanted then return not wanted and words or nil end
    return ("%s expect=%s"):format(words, shown_text.word(wanted))
  end)
  return ("%s: expected a JMESPath, found %s: %s"):format(name, json.encode(path), line)
end

---Reports whether every text matches a Lua pattern, as `.-`. No limit cuts a search here, so the texts are short.
local function matches_every_text(pattern)
  for _, text in ipairs(regex.unlike) do
    if not find(text:sub(1, 95), pattern) then return false end
  end
  return true
end

---Returns what is wrong with an input's `matches`, a regular expression, and `matches_lua`, a Lua pattern.
---@param input table
---@return string? mistake
function M.mistake_of_matches(input)
  local compiled, mistake
  if input.matches then compiled, mistake = regex.compile(input.matches) end
  if compiled and input.matches ~= "" and compiled:matches_every_text() then
    mistake = 'every text matches it; matches:="" says so on purpose'
  end
  if mistake then
    return ("matches: expected a regular expression, found %s: %s"):format(json.encode(input.matches), mistake)
  end
  mistake = input.matches_lua and patterns.mistake(input.matches_lua)
  if input.matches_lua and input.matches_lua ~= "" and not mistake and matches_every_text(input.matches_lua) then
    mistake = 'every text matches it; matches_lua:="" says so on purpose'
  end
  return mistake and ("matches_lua: expected a Lua pattern, found %s: %s"):format(json.encode(input.matches_lua), mistake) or nil
end

---Finds what is wrong with `matches` and `matches_lua` where one of them is needed; for `check` and `prepare`.
---@param input table
---@return string? mistake
function M.mistake_of_needed_matches(input)
  return M.mistake_of_matches(input) or line_search.mistake(input)
end

---Returns the mistake of a value that means both success and failure.
---@param input table
---@return string? mistake
local function contradiction(input)
  for _, value in ipairs(input.failed or {}) do
    if input.expect ~= nil and wanted_by.is_same(input.expect, value) then
      return ("failed: expected values other than that of expect, found %s"):format(json.encode(value))
    end
    for _, code in ipairs(type(input.code) == "table" and input.code or {}) do
      if code == value then return ("failed: expected codes that code does not have, found %s"):format(json.encode(value)) end
    end
  end
end

---Returns the mistake of an `expect` that no value of a path equals: lists and objects are compared by the path itself.
local function mistake_of_list(input)
  if not input.path or type(input.expect) ~= "table" then return nil end
  local text = json.encode(input.expect)
  return ("expect: expected a text, a number, a boolean or null, found %s; write path='%s == `%s`'")
    :format(text, input.path, text)
end

---Returns what is wrong with an input, for the member `check` of an operation.
---@param input table
---@return string? mistake
function M.mistake(input)
  local mistake = mistake_of_path("path", input.path) or mistake_of_path("message", input.message)
    or M.mistake_of_matches(input) or by_xpath.mistake(input) or mistake_of_list(input) or contradiction(input)
    or possible.mistake_of_input(input)
  if mistake then return mistake end
  if input.message and not input.failed then return "message: expected failed beside it, whose reason it gives" end
end

-- ---- answers -----------------------------------------------------------------------------------

---The JMESPath of the reason of a failure.
local function reason_of(input)
  return input.message or "message"
end

---Raises the operation error FailedValue, which `expect.failure` takes for the end. Its message is what the input's `message`
---gives, if the text is JSON in which it gives a text.
---@param text string
---@param input table
---@param message string otherwise
function M.fail(text, input, message)
  local document = json.read(text, { lenient = true })
  local reason = document and shown_value.at(reason_of(input), document, secret.any())
  reason = reason and reason:value()
  error({ type = FAILED, message = type(reason) == "string" and reason ~= "" and reason or message }, 0)
end

---Checks a text by `matches` and `matches_lua`. Raises UnexpectedValue and MatchLimit.
---@param text string
---@param input table
---@return string[]? captures the texts of the groups of `matches`, if it has any
function M.matches(text, input)
  if input.matches_lua and not find(text, input.matches_lua) then
    refuse("UnexpectedValue", "expected a match of %s, found none", json.encode(input.matches_lua))
  end
  if not input.matches then return nil end
  local captures, is_over = assert(regex.compile(input.matches)):find(text)
  if is_over then
    refuse(OVER_LIMIT, "matches: %s takes too long for this text, and does not match", json.encode(input.matches))
  end
  if not captures then refuse("UnexpectedValue", "expected a match of %s, found none", json.encode(input.matches)) end
  return captures ~= true and captures or nil
end

---Checks a page by `xpath`.
---@return any found
local function look_by_xpath(page, input, content_type)
  local found, verdict, message = by_xpath.judge(page, input, content_type)
  if verdict == "failed" then M.fail(page, input, message --[[@as string]]) end
  if verdict then refuse(verdict == "limit" and OVER_LIMIT or "UnexpectedValue", "%s", message) end
  return found
end

---The inputs that the acceptors check if there is a path.
local of_path = { path = true, expect = true, failed = true, message = true }

---Reports whether `expect.text` has anything to check: any expectation of an input but `path` and those that belong to it.
---@param input table
---@return boolean
function M.asks_text(input)
  for name in pairs(declaration()) do
    if input[name] ~= nil and not (input.path and of_path[name]) then return true end
  end
  return false
end

---Checks the text of an answer by what an input expects of texts: `xpath`; `failed` and `expect` without `path` and `xpath`;
---`matches` and `matches_lua`. Raises FailedValue, UnexpectedValue, MatchLimit, or nothing.
---@param text string
---@param input table
---@param output? any of an operation
---@param content_type? string the header of the answer, by which `xpath` takes it for HTML or XML
---@return any output with the member `captures`, if `matches` has groups, and `found`, if there is an `xpath`
function M.text(text, input, output, content_type)
  local looks_for_texts = not input.path and not input.xpath
  for _, wanted in ipairs(looks_for_texts and failed_texts(input) or {}) do
    if text:find(wanted, 1, true) then M.fail(text, input, ("found %s"):format(json.encode(wanted))) end
  end
  local found = input.xpath and look_by_xpath(text, input, content_type)
  if looks_for_texts and input.expect ~= nil then expect_text(text, input.expect) end
  local captures = M.matches(text, input)
  if output == nil then return nil end
  if found ~= nil then
    output = operation.with_member(output, "found", type(found) == "table" and json.array(found) or found)
  end
  return captures and operation.with_member(output, "captures", captures) or output
end

---The last line that a program wrote, which mostly says why.
local function last_line(done)
  local line = (done.stderr .. "\n" .. done.stdout):match "([^\n]*%S[^\n]*)%s*$"
  return line and ": " .. line or ""
end

---Checks the exit code of a program by what an input expects: `code` and `failed` are lists of exit codes. Raises
---FailedValue, CommandFailed, ProgramNotFound if the shell found no such program, or nothing.
---@param done bide.exec.Result
---@param input table
function M.code(done, input)
  local says = ("the exit code is %d%s"):format(done.code, last_line(done))
  for _, code in ipairs(input.failed or {}) do
    if code == done.code then M.fail(done.stdout, input, says) end
  end
  for _, code in ipairs(input.code) do
    if code == done.code then return end
  end
  local is_missing = input.run and done.code == 127
  error({ type = is_missing and "ProgramNotFound" or "CommandFailed", code = done.code, message = says }, 0)
end

-- ---- acceptors ---------------------------------------------------------------------------------

local function path_of(input)
  return type(input) == "table" and input.path or nil
end

---Reports whether a value is one of those that mean failure.
local function means_failure(found, wanted)
  return is_found(found, wanted) or wanted == "true" and core.wait.is_yes(found, "failure")
end

local function has_failed(context)
  local input, failure, memory = context.input, context.error, context.memory or {}
  local was_over = memory.is_over_limit
  memory.is_over_limit = failure and failure.type == OVER_LIMIT or nil
  if failure then return failure.type == FAILED or was_over and memory.is_over_limit or false end
  if not path_of(input) or not input.failed or not context.document then return false end
  local found = by_path.evaluate(context)
  for _, wanted in ipairs(found and failed_texts(input) or {}) do
    if means_failure(found, wanted) then return true end
  end
  return false
end

local function is_met(context)
  local input = context.input
  if not context.document or context.error then return false end
  if not path_of(input) then return true end
  local found, is_yes, why = by_path.evaluate(context)
  if not found then return false, why end
  local is_wanted = input.expect == nil or is_found(found, input.expect)
  return is_wanted and is_yes, is_wanted and why or nil
end

---`expected "done"`
local function notice_wanted(input)
  if not path_of(input) or input.expect == nil or secret.is_in_path(input.path, input.expect) then return nil end
  return "expected " .. json.encode(input.expect)
end

---Returns how to write what was probably meant, where the path without `expect` gives a text or a number.
local function advise(input, found)
  if not path_of(input) or input.expect ~= nil then return nil end
  return comparators.advice(input.path, found, "path='%s' expect=%s", "path='%s != `null`'")
end

local failure = own_matcher.new {
  matches = has_failed, words = "an answer that the input calls failed", path = path_of, message = reason_of, advice = advise,
}

local success = own_matcher.new {
  matches = is_met, words = "an answer that the input expects", sees = "output", path = path_of, notice = notice_wanted,
  advice = advise,
}

---The answer has one of the values, or texts, of the input's `failed`; or `matches` took too long twice in a row.
---@return bide.AcceptorStructure
function M.failure()
  return { state = "failure", matcher = { lua = failure } }
end

---The answer is as the input expects it.
---@param state? "success"|"retry" success otherwise
---@return bide.AcceptorStructure
function M.success(state)
  return { state = state or "success", matcher = { lua = success } }
end

return setmetatable(M, { __call = expect })
