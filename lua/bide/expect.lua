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

local core = require "bide.core"
local answer = require "bide.probe.answer"
local comparators = require "bide.recipe.waiter.comparators"
local evidence = require "bide.wait.evidence"
local matchers = require "bide.recipe.waiter.matchers"
local operation = require "bide.probe.operation"
local patterns = require "bide.recipe.input.patterns"
local possible = require "bide.recipe.expression.possible"
local regex = require "bide.probe.regex"
local script_error = require "bide.text.script_error"
local secret = require "bide.text.secret"
local xpath = require "bide.probe.xpath"

local json, find = core.json, core.pattern.find

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

-- ---- values ------------------------------------------------------------------------------------

---Compares a value of JSON with what is wanted. What comes from the command line is a text: a string equals it, and a
---number or a boolean with that JSON text; a list, an object and null equal none.
local function is_same(value, wanted)
  if value == wanted then return true end
  local is_scalar = type(value) == "number" or type(value) == "boolean"
  return is_scalar and type(wanted) == "string" and json.encode(value) == wanted
end

local function as_text(wanted)
  return type(wanted) == "string" and wanted or json.encode(wanted)
end

-- ---- one text ----------------------------------------------------------------------------------

local function compile(path)
  local expression, mistake = core.jmespath.compile(path)
  if not expression then refuse("InvalidInput", "the path %q: %s", path, tostring(mistake)) end
  return expression
end

local function evaluate(expression, path, document)
  local found, failure = expression:query(document)
  if failure then refuse("UnexpectedValue", "%s cannot be evaluated: %s", path, failure.kind) end
  return found
end

---Returns the state in which the core keeps what a condition on a path has seen.
---@param allow_missing boolean?
---@return bide.WaitState
local function new_state(path, allow_missing)
  local conditions = { rule = "success", all = { { path = path } }, allowMissing = allow_missing }
  local compiled = core.wait.definition(1, 1, { { state = "success", matcher = { conditions = conditions } } })
  return core.wait.kind(compiled, { min_delay = 1, max_delay = 1, max_wait = math.maxinteger }):start(0, 0)
end

---Decides on a document as on an answer.
---@return boolean is_yes
---@return string? why the document cannot be looked into, or the yes does not count
local function observe(state, document)
  state:begin()
  local verdict, _, _, note = state:observe(0, { input = document, output = document })
  return verdict == "success", note and note:match "^no%-member: (.*)$"
end

---Expects a value at a path. Messages and the result have no secrets in them.
local function expect_value(text, path, wanted)
  local expression = compile(path)
  local document, failure = answer.read(text)
  if not document then refuse("UnexpectedValue", "this is not JSON: %s", tostring(failure)) end
  local state = new_state(path)
  local _, why = observe(state, document)
  if state:is_blind() then refuse("UnexpectedValue", "%s: %s", path, why) end
  local found = evaluate(expression, path, document)
  local value = found:value()
  local shown = evidence.value_of(path, document, secret.any())
  if wanted == nil and not core.wait.is_yes(found, "success") then
    refuse("UnexpectedValue", "%s is %s", path, shown:json())
  end
  if wanted ~= nil and not is_same(value, wanted) then
    refuse("UnexpectedValue", "%s: expected %s, found %s", path, json.encode(wanted), shown:json())
  end
  return shown:value()
end

local function expect_text(text, wanted)
  wanted = as_text(wanted)
  if not text:find(wanted, 1, true) then refuse("UnexpectedValue", "expected %s, found none", json.encode(wanted)) end
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
  local all = declaration()
  for name, member in pairs(own) do all[name] = member end
  return all
end

---@return string? mistake in one line
local function mistake_of_path(name, path)
  if not path then return nil end
  local _, mistake = core.jmespath.compile(path)
  if not mistake then return nil end
  return ("%s: expected a JMESPath, found %s: %s"):format(name, json.encode(path), tostring(mistake):match "^[^\n]*")
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
  local mistake = M.mistake_of_matches(input)
  if mistake then return mistake end
  return not (input.matches or input.matches_lua) and "expected matches, a regular expression, found none" or nil
end

---Returns the mistake of a value that means both success and failure.
---@param input table
---@return string? mistake
local function contradiction(input)
  for _, value in ipairs(input.failed or {}) do
    if input.expect ~= nil and is_same(input.expect, value) then
      return ("failed: expected values other than that of expect, found %s"):format(json.encode(value))
    end
    for _, code in ipairs(type(input.code) == "table" and input.code or {}) do
      if code == value then return ("failed: expected codes that code does not have, found %s"):format(json.encode(value)) end
    end
  end
end

-- ---- answers -----------------------------------------------------------------------------------

---The JMESPath of the reason of a failure.
local function reason_of(input)
  return input.message or "message"
end

---Raises the operation error FailedValue, which M.failure takes for the end. Its message is what the input's `message`
---gives, if the text is JSON in which it gives a text.
---@param text string
---@param input table
---@param message string otherwise
function M.fail(text, input, message)
  local document = json.read(text, { lenient = true })
  local reason = document and evidence.value_of(reason_of(input), document, secret.any())
  reason = reason and reason:value()
  error({ type = FAILED, message = type(reason) == "string" and reason ~= "" and reason or message }, 0)
end

---The texts of `failed`; numbers are the exit codes of a program.
local function failures_of(input)
  local texts = {}
  for _, wanted in ipairs(input.failed or {}) do
    if type(wanted) == "string" then texts[#texts + 1] = wanted end
  end
  return texts
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

---Returns the texts of what an XPath found.
---@return string[]
local function texts_of(found)
  if type(found) == "table" then return found end
  local whole = math.type(found) == "float" and math.tointeger(found)
  return { tostring(whole or found) }
end

---Shows what an XPath found, in a few words.
local function words_of(texts)
  if #texts == 0 then return "nothing" end
  local more = #texts > 1 and (" and %d more"):format(#texts - 1) or ""
  local text = secret.any():text(texts[1])
  if #text > 80 then text = text:sub(1, utf8.offset(text, 0, 80) - 1) .. "…" end
  return json.encode(text) .. more
end

---Checks a text by `xpath`, and by `expect` and `failed` if there is one.
---@param text string
---@param input table
---@param content_type string? the header of an answer
---@return any found nil if the input has no `xpath`
local function check_xpath(text, input, content_type)
  if not input.xpath then return nil end
  local found, failure = xpath.find(text, input.xpath, content_type)
  if failure then
    refuse(failure.kind == "limit" and OVER_LIMIT or "UnexpectedValue", "xpath: %s", failure.message)
  end
  local texts, is_found = texts_of(found), found == true or type(found) == "table" and #found > 0
  for _, wanted in ipairs(failures_of(input)) do
    local means_failure = wanted == "true" and is_found
    for _, one in ipairs(texts) do means_failure = means_failure or one == wanted end
    if means_failure then M.fail(text, input, ("%s is %s"):format(input.xpath, words_of(texts))) end
  end
  if input.expect == nil and not is_found then
    local advice = type(found) ~= "table" and type(found) ~= "boolean" and ": write expect=VALUE" or ""
    refuse("UnexpectedValue", "%s finds %s%s", input.xpath, words_of(texts), advice)
  end
  for _, one in ipairs(input.expect ~= nil and texts or {}) do
    if one == as_text(input.expect) then return found end
  end
  if input.expect ~= nil then
    refuse("UnexpectedValue", "%s: expected %s, found %s", input.xpath, json.encode(input.expect), words_of(texts))
  end
  return found
end

---Reports whether an XPath, and `expect` if there is one, hold for a document without anything in it, as `not(//error)`: they
---would hold for the page of any other program, too.
local function holds_for_nothing(input)
  local holds, refusal = pcall(check_xpath, "<nothing/>", { xpath = input.xpath, expect = input.expect }, "application/xml")
  if not holds then script_error.pass_out_of_memory(refusal) end
  return holds
end

---Returns what is wrong with an input's `xpath`. What `matches` demands beside it has to be in the page.
---@param input table
---@return string? mistake
local function mistake_of_xpath(input)
  if not input.xpath then return nil end
  if input.path then return "path and xpath exclude each other" end
  local mistake = xpath.mistake(input.xpath)
  if not mistake and not (input.matches or input.matches_lua) and holds_for_nothing(input) then
    mistake = "it holds for a page without anything in it; name what a page that is ready has as well, as in boolean(//h1) and …"
  end
  return mistake and ("xpath: expected an XPath, found %s: %s"):format(json.encode(input.xpath), mistake)
end

---Returns what is wrong with an input, for the member `check` of an operation.
---@param input table
---@return string? mistake
function M.mistake(input)
  local mistake = mistake_of_path("path", input.path) or mistake_of_path("message", input.message)
    or M.mistake_of_matches(input) or mistake_of_xpath(input) or contradiction(input) or possible.mistake_of_input(input)
  if mistake then return mistake end
  if input.message and not input.failed then return "message: expected failed beside it, whose reason it gives" end
end

---The inputs of which the acceptors take care if there is a path.
local of_path = { path = true, expect = true, failed = true, message = true }

---Reports whether M.text has anything to look for. Whatever an input may expect counts, but a path and what belongs to it.
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
  for _, wanted in ipairs(looks_for_texts and failures_of(input) or {}) do
    if text:find(wanted, 1, true) then M.fail(text, input, ("found %s"):format(json.encode(wanted))) end
  end
  local found = check_xpath(text, input, content_type)
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

---Evaluates the input's path, and decides on it as on a condition of the command line. It keeps which members the
---answers had; the conditions of one path share that.
---@return userdata? value a document; nil if the path cannot be evaluated
---@return boolean is_yes by the rule of a success
---@return string? why the answer cannot be looked into, or the yes does not count
local function evaluate_path(context)
  local input, memory = context.input, context.memory or {}
  local document, known = context.document, memory[matchers.OF_PATH]
  if not known or known.path ~= input.path then
    local expression = core.jmespath.compile(input.path)
    if not expression then return nil, false end
    known = { path = input.path, expression = expression, state = new_state(input.path, context.allowMissing) }
    if context.before then known.state:recall(context.before) end
    if memory[matchers.EARLIER] then known.state:recall_members(table.unpack(memory[matchers.EARLIER])) end
    memory[matchers.OF_PATH] = known
  end
  local _, is_of_answer = known.expression:asks_answer()
  if context.unread and not is_of_answer then return nil, false, context.unread end
  local is_yes, why = observe(known.state, document)
  if known.state:is_blind() then return nil, false, why end
  return (known.expression:query(document)), is_yes, why
end

---Reports whether a value is one of those that mean failure.
local function means_failure(found, wanted)
  return is_same(found:value(), wanted) or wanted == "true" and core.wait.is_yes(found, "failure")
end

local function has_failed(context)
  local input, failure, memory = context.input, context.error, context.memory or {}
  local was_over = memory.is_over_limit
  memory.is_over_limit = failure and failure.type == OVER_LIMIT or nil
  if failure then return failure.type == FAILED or was_over and memory.is_over_limit or false end
  if not path_of(input) or not input.failed or not context.document then return false end
  local found = evaluate_path(context)
  for _, wanted in ipairs(found and failures_of(input) or {}) do
    if means_failure(found, wanted) then return true end
  end
  return false
end

local function is_met(context)
  local input = context.input
  if not context.document or context.error then return false end
  if not path_of(input) then return true end
  local found, is_yes, why = evaluate_path(context)
  if not found then return false, why end
  if input.expect == nil then return is_yes, why end
  return is_same(found:value(), input.expect)
end

---Reports whether a name in the path is that of a secret, whatever its type.
local function is_of_secret(path)
  for name in path:gmatch "[%w_%-]+" do
    if core.secret.kind(name) then return true end
  end
  return false
end

---`expected "done"`
local function notice_wanted(input)
  if not path_of(input) or input.expect == nil or is_of_secret(input.path) then return nil end
  return "expected " .. json.encode(input.expect)
end

---Returns how to write what was probably meant, where the path without `expect` gives a text or a number.
local function advise(input, found)
  if not path_of(input) or input.expect ~= nil then return nil end
  return comparators.advice(input.path, found, "path='%s' expect=%s", "path='%s != `null`'")
end

local failure = matchers.described {
  matches = has_failed, words = "an answer that the input calls failed", path = path_of, message = reason_of, advice = advise,
}

local success = matchers.described {
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
