---Conditions that no answer can decide are mistakes: bide says why, ends with 2, and sends nothing.

local Workspace = require "spec.support.workspace"
local exists = require("luv").fs_stat

local NO_YES = "only true, and a list or an object that is not empty, is a yes"

---The words of the command line, and what the message contains.
local rows = {
  { { "--until", "length(items)" }, "--until can never be a yes: this is a number: " .. NO_YES
    .. "; write length(items) > `0`\n  length(items)\n  ^" },
  { { "--until", "version < '2.0'" },
    "--until can never be a yes: '<' compares numbers, but an operand is of type string: the result is null\n"
    .. "  version < '2.0'\n  ^" },
  { { "--fail", 'version < `"2.0"`' }, "--fail can never be a yes: '<' compares numbers" },
  { { "--fail", "version < '2.0'" }, "--fail can never be a yes: '<' compares numbers" },
  { { "--until", "ready", "--until", "a == 'x' && a == 'y'" }, "this contradicts what is before it" },
  { { "--until", "a=1", "--until", "b=1", "--until", "a=2" },
    "--until number 3 contradicts those before it: they never hold in one answer" },
  { { "--until", "status=ok", "--until", "status == 'failed'" }, "--until number 2 contradicts those before it" },
  { { "--fail", "contains(`3`, count)" }, "argument 1 of contains() must be a string or an array, not number" },
  { { "--until", "`true`" }, "--until: this is always true, whatever the answer: it can never be a no" },
  { { "--until", "[status]" }, "--until: this is a list, whatever the answer: it can never be a no" },
  { { "--until", "'done'=done" }, "it can never be a no" },
  { { "--fail", "type(error)" }, "--fail: this is a text, whatever the answer: it can never be a no" },
  { { "--fail", "'no'" }, "--fail can never be a yes: this is always \"no\"" },
  { { "--until", "length(items)=many" }, "this is a number: it can never equal what it is compared with" },
  { { "--until", "items[*].status=done" }, "this is a list or null: it can never equal what it is compared with; write "
    .. "contains(items[*].status, 'TEXT') for one element\n" },
  { { "--until", "ready == `true`=yes" }, "this is a boolean: it can never equal what it is compared with" },
  { { "--fail", "failed", "--fail-message", "length(errors)" },
    "--fail-message can never be a text: this is a number: a message is a text, or a list of texts" },
  { { "--fail", "failed", "--fail-message", "a == 'x'" }, "--fail-message can never be a text: this is a boolean" },

  { { "--until", "status!=ok" }, "--until: ok is a member here, not a text: write status != 'ok' for the text, @.ok for the "
    .. "member\n  status!=ok\n          ^" },
  { { "--until", "status == ok" }, "write status=ok or status == 'ok' for the text, @.ok for the member" },
  { { "--until", 'status == "ok"' }, "write status=ok or status == 'ok' for the text, @.ok for the member" },
  { { "--until", "ok != a.status" }, "ok is a member here, not a text: write a.status != 'ok' for the text" },
  { { "--until", "ready && items[?status == done]" }, "done is a member here, not a text" },
  { { "--until", "contains(status, ok)" }, "ok is a member here, not a text: write 'ok' for the text, @.ok for the member" },
  { { "--fail", "starts_with(status, err)" }, "err is a member here, not a text: write 'err' for the text" },
  { { "--fail", "ends_with(name, tmp)" }, "tmp is a member here, not a text: write 'tmp' for the text" },
  { { "--until", "ready == true" }, "write ready == `true` with backticks for the value, @.true for the member" },
  { { "--until", "error == null" }, "write error == `null` with backticks for the value" },
  { { "--until", "count > 5" }, "found the number '5' where an expression (a number is written in backticks, as `5`) should be" },
  { { "--until", "length(items) == 3" }, "(a number is written in backticks, as `5`)" },
  { { "--fail", "a", "--fail-message", "b == c" }, "--fail-message: c is a member here" },

  { { "--until", 'status = "ok"' }, "a blank beside = is part of the text: write status=TEXT without blanks and quotes" },
  { { "--until", "status = ok" }, "a blank beside = is part of the text: write status=TEXT" },
  { { "--until", "status= ok" }, "a blank beside = is part of the text" },
  { { "--fail", "status =failed" }, "--fail: a blank beside = is part of the text" },
  { { "--until", "status=~ok" }, "=~ is not an operator: write contains(status, 'TEXT')" },
  { { "--until", "count=>3" }, "=> is not an operator: write count >= `NUMBER` with backticks" },
  { { "--until", "a=1 && b=2" }, "&& is part of the text after =: write a == 'TEXT' && …, or give the option twice" },
  { { "--fail", "a=x || a=y" }, "|| is part of the text after =" },

  { { "path=length(items)" }, "path can never be a yes: this is a number: " .. NO_YES
    .. "; write length(items) > `0` (column 1 of \"length(items)\")" },
  { { "path=[status]" }, "path: this is a list, whatever the answer: it can never be a no" },
  { { "path=status == ok" }, "path: ok is a member here, not a text" },
  { { "path=items[*].status", "expect=done" }, "path can never be a yes: this is a list or null" },
  { { "path=length(items)", "expect=-1" }, "path can never be a yes: this is a number" },
  { { "path=jobs", "expect:=[]" }, "expect: expected a text, a number, a boolean or null, found []; write path='jobs == `[]`'" },
  { { "path=a == 'x'", "expect=x" }, "path can never be a yes: this is a boolean" },
  { { "path=status", "expect=done", "failed=1", "message=length(errors)" }, "message can never be a text: this is a number" },
}

---Conditions that ask for a member more than the core keeps in mind.
local many = {}
for number = 1, 64 do many[number] = ("m%d == `1`"):format(number) end
many = table.concat(many, " && ")
table.insert(rows, { { "--until", many, "--until", "!pending" }, "--until: expected at most 64 names of members in all "
  .. "conditions, found 65: one that no answer has had would not be noticed; --allow-missing accepts that" })
table.insert(rows, { { "--until", many, "--fail", "failed" }, "--until: expected at most 64 names" })
table.insert(rows, { { "path=" .. many .. " && !pending" }, "path: expected at most 64 names of members" })

---What is as near to those as can be, and may be decided.
local fine = {
  { "--until", "length(items) > `0`" }, { "--until", "length(items)=3" }, { "--until", "to_number(version) < `2`" },
  { "--until", "status == @.wanted" }, { "--until", "a.status != b.status" }, { "--until", "status != 'ok'" },
  { "--until", "status=ok" }, { "--until", "a=1", "--until", "b=2", "--until", "a == '1'" }, { "--until", "status=it is = ok" },
  { "--until", "status=" .. "a&b" },
  { "--fail", "length(errors)" }, { "--fail", "failed", "--fail-message", "errors[*].text" },
  { "--fail", "contains(names, 'x')" },
  { "path=length(items) > `0`" }, { "path=length(items)", "expect=3" }, { "path=status", "failed=1" },
  { "--until", many }, { "--until", many, "--until", "!pending", "--allow-missing" }, { "--fail", many, "--fail", "failed" },
  { "path=ready", "expect=true" }, { "--until", "contains(['a', 'b'], status)" }, { "--until", "`3` <= count" },
}

describe("a condition that no answer can decide", function()
  local workspace = Workspace.of_each()

  ---The command line of a wait whose program leaves a mark.
  local function words_of(row, ...)
    local words = { ... }
    table.move({ "command", "touch sent; echo '{}'", "--max-wait", "0.2s" }, 1, 4, #words + 1, words)
    return table.move(row, 1, #row, #words + 1, words)
  end

  for _, row in ipairs(rows) do
    it("is refused: " .. table.concat(row[1], " "), function()
      local done = workspace:bide(words_of(row[1], "run"))
      done:says(2, row[2])
      assert.equal("", done.stdout)
      assert.is_nil(exists(workspace.path .. "/sent"))
    end)
  end

  for _, words in ipairs(fine) do
    it("is not found in " .. table.concat(words, " "), function()
      local done = workspace:bide(words_of(words, "run"))
      assert.is_true(done.code == 124 or done.code == 4 or done.code == 0, done.stderr)
    end)
  end

  it("is refused by plan and by replay, in a list, and for each line", function()
    local until_number = { "--until", "length(items)" }
    workspace:write("answers.jsonl", '{"output": {}}\n')
    workspace:write("list.json", '[{"recipe": "command", "input": {"run": "touch sent"}, "until": "length(items)"}]')
    workspace:write("inputs.jsonl", '{"run": "touch sent"}\n')
    for _, words in ipairs {
      words_of(until_number, "plan"),
      { "replay", "command", "CommandSucceeded", "answers.jsonl", "run=true", "--max-wait", "1s", table.unpack(until_number) },
      { "run", "list.json", "--max-wait", "1s" },
      { "run", "command", "--each", "inputs.jsonl", "--max-wait", "1s", table.unpack(until_number) },
      { "run", "command", "touch sent", "+", "command", "true", "--max-wait", "1s", table.unpack(until_number) },
    } do
      local done = workspace:bide(words)
      assert.equal(2, done.code, table.concat(words, " ") .. done.stdout .. done.stderr)
      assert.matches("this is a number", done.stderr, 1, true, table.concat(words, " "))
      assert.is_nil(exists(workspace.path .. "/sent"))
    end
  end)

  it("is refused without the text of a secret", function()
    local done = workspace:bide(words_of({ "--until", "token = hunter2" }, "run"))
    assert.equal(2, done.code)
    assert.not_matches("hunter2", done.stderr, 1, true)
  end)

  describe("of a waiter in a file", function()
    local acceptors = [[
      { state = "success", matcher = { output = { path = "length(items)", comparator = "stringEquals", expected = "x" } } },
      { state = "success", matcher = { expect = { path = "version < '2.0'" } } },
      { state = "success", matcher = { output = { path = "a == b", comparator = "booleanEquals", expected = "true" } } },
      { state = "failure", matcher = { expect = { path = "length(errors)" } }, message = "length(errors)" },
      { state = "success", matcher = { success = true } },]]

    before_each(function()
      workspace:write("get.lua", ("return { Get = { call = function() return {} end, waitable = { Got = { acceptors = {\n%s\n"
        .. "} } } } }"):format(acceptors))
    end)

    it("is warned of at the start, with --quiet too", function()
      local done = workspace:bide { "run", "get.lua", "--max-wait", "1s", "--quiet" }
      done:says(0, "warning: Got, acceptor 1", "warning: Got, acceptor 2 can never match: '<' compares numbers",
        "warning: Got, the message of acceptor 4 can never be a text: this is a number")
      assert.not_matches("acceptor 3", done.stderr, 1, true)
      assert.not_matches("acceptor 4 can never match", done.stderr, 1, true)
    end)

    it("has a note of check for a bare word", function()
      local done = workspace:bide { "check", "get.lua", "--severity", "NOTE" }
      assert.matches("NOTE bide.BareWord", done.stdout, 1, true)
      assert.matches("b is a member here, not a text", done.stdout, 1, true)
    end)
  end)
end)
