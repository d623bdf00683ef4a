local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local service = require "spec.support.service"

local feed = [[<?xml version="1.0"?><q:feed xmlns:q="urn:q"><q:state> up </q:state><n>1</n><n>22</n></q:feed>]]

local page = [[<!DOCTYPE html><title>Jobs</title><p>one<br><p class=ok>café<p><span id=state>done</span>&nbsp;&copy; 2024]]

---An entity that has 10^9 texts.
local function laughs()
  local lines = { '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a0 "ha">' }
  for level = 1, 9 do
    lines[#lines + 1] = ('<!ENTITY a%d "%s">'):format(level, ("&a%d;"):format(level - 1):rep(10))
  end
  return table.concat(lines) .. "]><l>&a9;</l>"
end

describe("the input xpath", function()
  local workspace = Workspace.of_block()
  local answer
  local server = Server.of_block(function() return answer end)

  local function ask(body, media_type, ...)
    answer = { body = body, headers = { ["content-type"] = media_type } }
    local words = { "http", server.url }
    for _, word in pairs { ... } do words[#words + 1] = word end
    if not table.concat(words, " "):find "--max" then table.move({ "--max-wait", "50s" }, 1, 2, #words + 1, words) end
    return workspace:outcome(words)
  end

  ---an expression, further words, what is found
  for _, row in ipairs {
    { feed, "//q:state", "expect=up", { "up" } }, { feed, "//n", "expect=22", { "1", "22" } }, { feed, "//n[2]", nil, { "22" } },
    { feed, "count(//n)", "expect=2", 2 }, { feed, "count(//n) = 2", nil, true }, { feed, "string(//n)", "expect=1", "1" },
    { page, "//p[@class='ok']", "expect=café", { "café" } }, { page, "//*[@id='state']", "expect=done", { "done" } },
    { page, "normalize-space(//title)", "expect=Jobs", "Jobs" }, { page, "boolean(//p)", "expect=true", true },
  } do
    it(("finds %s %s"):format(row[2], row[3] or ""), function()
      for _, media_type in ipairs { "text/plain", row[1] == page and "text/html" or "application/xml" } do
        local outcome, done = ask(row[1], media_type, "xpath=" .. row[2], row[3])
        assert.equal(0, done.code, done.stderr)
        assert.same(row[4], outcome.output.found)
      end
    end)
  end

  for _, row in ipairs {
    { feed, "//none", nil, "//none finds nothing" }, { feed, "//n", "expect=3", '//n: expected "3", found "1" and 1 more' },
    { feed, "count(//n)", nil, 'count(//n) finds "2": write expect=VALUE' }, { feed, "false()", nil, "finds \"false\"" },
    { "<a><b></a>", "//b", nil, "xpath: line 1: Opening and ending tag mismatch" }, { "", "//b", nil, "xpath: " },
    { '{"a": 1}', "//b", nil, "xpath: line 1: Document is empty" }, { "<a/>", "//x:b", nil, "does not declare the prefix" },
    { "<a/>", "nothing()", nil, "there is no such function" }, { "<a>\0</a>", "//a", nil, "xpath: " },
    { "<a>\xff\xfe</a>", "//a", nil, "xpath: " }, { ("<a>"):rep(100000), "//a", nil, "Excessive depth" },
    { laughs(), "//l", nil, "the document declares an entity" },
    { '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><l>&x;</l>', "//l", nil, "the document declares an entity" },
    { '<!DOCTYPE l SYSTEM "http://127.0.0.1:1/"><l>&x;</l>', "//l", nil, "//l finds \"\"" },
  } do
    it(("is a retry: %s of %q"):format(row[2], row[1]:sub(1, 60)), function()
      local outcome, done = ask(row[1], "application/xml", "xpath=" .. row[2],
        row[3] or row[4]:find '""$' and "expect=root:" or nil,
        "--max-attempts", "1", "--max-wait", "20s")
      assert.equal(4, done.code, done.stderr)
      local message = outcome.error.message:gsub(': expected "root:", found', " finds")
      assert.matches(row[4], message, 1, true)
    end)
  end

  it("fails at once by a value of failed", function()
    local outcome, done = ask(page, "text/html", "xpath=//*[@id='state']", "expect=ready", "failed=broken,done")
    assert.same({ 1, 1 }, { done.code, outcome.attempts })
    assert.matches("//*[@id='state'] is \"done\"", outcome.message, 1, true)
  end)

  it("reads HTML of 30 MB as far as its memory goes, and says so", function()
    local outcome, done = ask(("<div><p>some text here</p></div>"):rep(1000000), "text/html", "xpath=//p[last()]",
      "--max-wait", "60s")
    assert.same({ 1, 2 }, { done.code, outcome.attempts })
    assert.matches("the document takes more than 128 MiB of memory", outcome.message, 1, true)
    outcome, done = ask(("<p>some text here</p>"):rep(150000) .. "<b>end</b>", "text/html", "xpath=//b", "expect=end")
    assert.equal(0, done.code, done.stderr)
    assert.same({ "end" }, outcome.output.found)
  end)

  it("ends a search that takes too long", function()
    local outcome, done = ask(("<p>some text here</p>"):rep(3000), "text/html",
      "xpath=//*[count(//*[contains(.,'q')]) > 0]", "--max-wait", "60s")
    assert.same({ 1, 2 }, { done.code, outcome.attempts })
    assert.matches("the search takes too long", outcome.message, 1, true)
    local deep = ("<i>"):rep(200) .. ("x"):rep(1000000)
    outcome, done = ask(deep, "text/html", "xpath=//*[//*[contains(.,'q')]]", "--max-wait", "60s")
    assert.same({ 1, 2 }, { done.code, outcome.attempts })
    assert.matches("the search takes too long", outcome.message, 1, true)
  end)

  it("works in the sandbox, beside --until, and on what a command prints", function()
    local outcome, done = ask(page, "text/html", "xpath=//p[@class='ok']", "--sandbox=strict", "--until", "found[0]=café")
    assert.equal(0, done.code, done.stderr)
    assert.same({ "café" }, outcome.output.found)
    workspace:write("feed.xml", feed)
    outcome = workspace:outcome { "command", "cat feed.xml", "xpath=//n", "expect=22", "--max-wait", "50s" }
    assert.same({ "1", "22" }, outcome.output.found)
  end)

  it("loads its library before the walls are raised, and only where it is asked for", function()
    local strace = service.find("strace", "strace")
    if process.is_static then return pending "a program that is one file has all libraries within it" end
    if not strace or process.is_sanitized then return pending "strace is missing, or stands in the way of sanitizers" end
    answer = { body = page, headers = { ["content-type"] = "text/html" } }
    local inputs = ('{"url":"%s","%s"}\n'):format(server.url, "%s")
    for name, member in pairs { asks = 'xpath":"//p', ["does-not"] = 'method":"GET' } do
      workspace:write(name .. ".jsonl", inputs:format(member))
      workspace:write(name .. ".json", ('[{"recipe":"http","input":%s}]'):format(inputs:format(member)))
      workspace:write(name .. ".lua", ('return {{recipe="http",input=%s}}'):format(inputs:format(member):gsub('"(%w+)":', "%1=")))
    end
    local at = workspace.path .. "/"
    for line, is_before in pairs {
      ["http " .. server.url .. " xpath=//p"] = true, ["http " .. server.url .. " status=2xx"] = false,
      ["http --each " .. at .. "asks.jsonl"] = true, ["http --each " .. at .. "does-not.jsonl"] = false,
      ["run " .. at .. "asks.json"] = true, ["run " .. at .. "does-not.json"] = false,
      ["run " .. at .. "asks.lua"] = true, ["run " .. at .. "does-not.lua"] = false,
    } do
      local traced = { strace, "-f", "-o", workspace.path .. "/calls", "-e", "trace=openat,seccomp,landlock_restrict_self" }
      local words = { process.bide, "--max-wait", "9s", "--sandbox=strict" }
      for word in line:gmatch "%S+" do table.insert(words, #words - 2, word) end
      process.run(table.move(words, 1, #words, #traced + 1, traced), { tool = true }):ends(0)
      local calls = workspace:read "calls"
      local library, walls = calls:find("/xml.so", 1, true), calls:find("landlock_restrict_self", 1, true)
      assert.is_not_nil(walls)
      assert.same({ is_before, is_before }, { library ~= nil and library < walls, library ~= nil }, line)
    end
  end)

  for words, mistake in pairs {
    ["xpath=//a["] = 'xpath: expected an XPath, found "//a[": this is not XPath 1.0, at byte 5',
    ["xpath=//a path=b"] = "path and xpath exclude each other", ["xpath="] = "xpath: expected a text that is not empty",
  } do
    it("is refused before anything is sent: " .. words, function()
      local line = { "http", "127.0.0.1:1", "--max-wait", "50s" }
      for word in words:gmatch "%S+" do line[#line + 1] = word end
      workspace:bide(line):says(2, mistake)
    end)
  end
end)
