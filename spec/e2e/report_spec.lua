---Reports of a run beside its outcome: HTML, TAP, and the summary of a job.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local recipe = [[
local made = {}
return {
  GetJob = {
    call = function(input)
      made[input.id] = (made[input.id] or 0) + 1
      if input.busy and made[input.id] == 1 then error { type = "Busy", message = input.id } end
      return { id = input.id, state = made[input.id] < (input.polls or 1) and "running" or input.state, log = input.log }
    end,
    waitable = { JobDone = { minDelay = 1, maxDelay = 1, acceptors = {
      { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
      { state = "failure", name = "broken",
        matcher = { output = { path = "state", comparator = "stringEquals", expected = "failed" } } },
      { state = "retry", matcher = { errorType = "Busy" } },
    } } },
  },
}
]]

---Texts that would become markup, commands or other letters, if they were not escaped.
local hostile = {
  "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\u{202E}live", "javascript:alert(1)", "a\0b",
  "</pre></details><svg onload=alert(1)>", "--><!-- ]]>", "&lt;b&gt;&amp;", "[link](javascript:alert(1)) @name #1 `x` | y",
  "::error::x", ("\u{1F642}"):rep(300),
}

describe("a report", function()
  local workspace = Workspace.of_block()
  local json = require("bide.core").json

  setup(function() workspace:write("jobs.lua", recipe) end)

  ---Writes the lines of a fleet.
  local function fleet(name, inputs)
    local lines = {}
    for position, input in ipairs(inputs) do lines[position] = json.encode(input) end
    workspace:write(name, table.concat(lines, "\n") .. "\n")
  end

  local function count(text, part) return select(2, text:gsub(part, "")) end

  it("in HTML has the attempts of a wait, what acceptors saw, and the output", function()
    local done = workspace:bide { "run", "jobs.lua", "id=one", "state=done", "polls:=3", "busy:=true", "--max-wait", "50s", "-q",
      "--output", "html=one.html", "--output", "json=one.json" }
    assert.equal(0, done.code)
    local page = workspace:read "one.html"
    assert.matches("<title>JobDone succeeded</title>", page, 1, true)
    for _, part in ipairs {
      "error, retry<td>error Busy: one<td>1 s", "<td>retry<td>state is \"running\"<td>1 s",
      '<td>1<td class="success">success<td>state stringEquals "done"<td>yes<td>state is "done"',
      '<td>3<td>retry<td>the error Busy<td>not asked', "Last output, ", '"id": "one"',
    } do
      assert.matches(part, page, 1, true)
    end
    assert.same({ 1, 1 }, { count(page, 'class="r" d="M%d+ 12h'), count(page, 'class="e" d="M%d+ 6v12"') })
  end)

  it("is one file that loads nothing, whatever the texts are", function()
    local inputs = {}
    for position, text in ipairs(hostile) do
      inputs[position] = { id = text, state = "done", log = text, busy = true }
    end
    fleet("hostile.jsonl", inputs)
    local done = workspace:bide { "run", "jobs.lua", "--each", "hostile.jsonl", "--max-wait", "9s", "-q",
      "--output", "html=h.html", "--output", "tap=h.tap", "--output", "github=h.md", "--output", "junit=h.xml" }
    assert.equal(0, done.code)
    local page = workspace:read "h.html"
    assert.equal(1, count(page, "<script"), "the page's own script")
    assert.equal(1, count(page, "</script"))
    for _, tag in ipairs { "<img", "<svg onload", "<b&", "<a ", "url%(", "@import", "<!%-%- %]" } do
      assert.equal(0, count(page, tag), tag)
    end
    assert.is_nil(page:find "[%z\1-\9\11-\31\127]")
    assert.is_nil(page:find("\u{202E}", 1, true))
    assert.truthy(utf8.len(page))
    local policy = page:match 'Content%-Security%-Policy" content="([^"]*)"'
    assert.matches("^default%-src 'none'; style%-src 'sha256%-[^']+'; script%-src 'sha256%-[^']+'", policy)
    assert.is_nil(policy:find("unsafe", 1, true))
    local digest, base64 = require "bide.digest", require "bide.base64"
    assert.matches(base64.encode(digest.sha256(page:match "<script>(.-)</script>")), policy, 1, true)
    assert.matches(base64.encode(digest.sha256(page:match "<style>(.-)</style>")), policy, 1, true)
    local summary = workspace:read "h.md"
    assert.is_nil(summary:find "[<`@%[]")
    assert.equal(#hostile + 2, count(summary, "\n|"))
    assert.equal(2 * #hostile + 2, count(workspace:read "h.tap", "\n"))
  end)

  it("of a thousand waits has less than 2 MB, and of each a part of its output", function()
    local inputs = {}
    for position = 1, 1000 do
      inputs[position] = { id = ("job-%04d"):format(position), state = position % 17 == 5 and "failed" or "done",
        log = ("<a line & more> "):rep(300) }
    end
    fleet("many.jsonl", inputs)
    local done = workspace:bide { "run", "jobs.lua", "--each", "many.jsonl", "--max-wait", "30s", "-q",
      "--output", "html=many.html", "--output", "github=many.md" }
    assert.equal(1, done.code)
    local page = workspace:read "many.html"
    assert.is_true(#page < 2000000, #page)
    assert.equal(1000, count(page, '<details class="w"'))
    assert.equal(1000, count(page, "Last output, the first "))
    for output in page:gmatch '<pre tabindex="0">(.-)</pre>' do assert.is_true(#output <= 1024) end
    assert.matches("59 failed", page, 1, true)
    local summary = workspace:read "many.md"
    assert.is_true(#summary < 262144)
    assert.matches("200 of 1000 waits are shown here.", summary, 1, true)
    assert.equal(59, count(summary, "\n| ❌"))
  end)

  it("folds and cuts an output of 30 MB, and says so", function()
    workspace:write("big.lua", [[
      return { Get = { call = function()
        local log = {}
        for number = 1, 30 * 1024 do log[number] = ("<&>x"):rep(255) end
        return { log = log }
      end, waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
    ]])
    workspace:bide({ "run", "big.lua", "--max-wait", "30s", "-q", "--output", "html=big.html" }):ends(0)
    local page = workspace:read "big.html"
    assert.is_true(#page < 200000, #page)
    assert.matches("Last output, the first 64.0 KB of 30", page, 1, true)
  end)

  it("shows no secrets, but with --show-secrets", function()
    local words = { "run", "jobs.lua", "id=one", "state=done", "log=x", "password=open-sesame", "--max-wait", "50s", "-q",
      "--output", "html=secret.html" }
    assert.equal(0, workspace:bide(words).code)
    assert.is_nil(workspace:read("secret.html"):find("open-sesame", 1, true))
    words[#words + 1] = "--show-secrets"
    assert.equal(0, workspace:bide(words).code)
    assert.matches("open-sesame", workspace:read "secret.html", 1, true)
  end)

  it("is UTF-8, whatever bytes an answer had", function()
    workspace:write("bytes.sh", [[printf '\377\376 \355\240\200 bad \300\257']])
    local words = { "command", "sh bytes.sh", "expect=bad", "--max-wait", "50s", "--quiet" }
    for _, format in ipairs { "html", "junit", "tap", "json", "github", "otlp" } do
      table.move({ "--output", format .. "=bytes." .. format }, 1, 2, #words + 1, words)
    end
    workspace:bide(words):ends(0)
    for _, format in ipairs { "html", "junit", "tap", "json", "github", "otlp" } do
      assert.is_truthy(utf8.len(workspace:read("bytes." .. format)), format)
    end
    assert.is_truthy(json.read(workspace:read "bytes.json"))
  end)

  it("that cannot be written ends with 1, and COMMAND does not run", function()
    for _, format in ipairs { "html", "tap", "junit", "github" } do
      local done = workspace:bide { "run", "jobs.lua", "id=one", "state=done", "--max-wait", "50s", "-q", "--output",
        format .. "=/dev/full", "--", "echo", "started" }
      assert.same({ 1, "" }, { done.code, done.stdout }, format)
    end
  end)

  it("is written within the walls of the sandbox", function()
    local done = workspace:bide { "run", "jobs.lua", "id=one", "state=done", "--max-wait", "50s", "-q", "--sandbox", "--output",
      "html=walls.html" }
    assert.same({ 0, "" }, { done.code, (done.stderr:gsub("^JobDone[^\n]*\n", "")) })
    assert.matches("JobDone succeeded", workspace:read "walls.html", 1, true)
  end)

  it("in TAP has a line for each wait; a failure that does not count is skipped", function()
    fleet("three.jsonl", { { id = "a", state = "done" }, { id = "b #1", state = "failed" }, { id = "c", state = "done" } })
    local words = { "run", "jobs.lua", "--each", "three.jsonl", "--max-wait", "9s", "-q", "--output", "tap" }
    local done = workspace:bide(words)
    assert.equal(1, done.code)
    assert.matches("^TAP version 13\n1..3\nok 1 %- line 1 %(id=a%)\n# [^\n]*\nnot ok 2 %- line 2 %(id=b \\#1%)\n"
      .. "# JobDone failed %(broken%)", done.stdout)
    done = workspace:bide { "run", "jobs.lua", "--each", "three.jsonl", "--some", "2", "--keep-going", "--max-wait", "9s", "-q",
      "--output", "tap" }
    done:prints(0, "\nok 2 - line 2 (id=b \\#1) # SKIP JobDone failed")
  end)

  it("of test cases has the course of each, and what differs", function()
    workspace:write("jobs.wait.lua", [[
      return { recipe = "./jobs.lua",
        { name = "ends <b>", waiter = "JobDone",
          answers = { { output = { state = "running" } }, { output = { state = "done" } } },
          expect = { state = "success", attempts = 2 } },
        { name = "fails", waiter = "JobDone", answers = { { output = { state = "failed" } } },
          expect = { state = "success", attempts = 1 } } }
    ]])
    local done = workspace:shell '"$BIDE" test jobs.wait.lua --jobs 2 --output html=cases.html --output tap'
    assert.equal(1, done.code)
    assert.matches("^TAP version 13\n1..2\n", done.stdout)
    local page = workspace:read "cases.html"
    for _, part in ipairs { "<title>2 cases failed</title>", "jobs.wait.lua: ends &lt;b&gt;", "1 failed", "1 succeeded",
      'state: expected "success", found "failure"' } do
      assert.matches(part, page, 1, true)
    end
    assert.equal(2, workspace:shell('"$BIDE" test jobs.wait.lua --output tap --output html').code)
    assert.equal(1, workspace:shell('"$BIDE" test jobs.wait.lua --output html=/dev/full').code)
  end)

  it("runs its own script in Chromium, and no other", function()
    if process.is_sanitized then return end -- Chromium would get the sanitizer's library
    if os.execute "command -v chromium >/dev/null" ~= true then return pending "chromium is not installed" end
    local inputs = {}
    for position, text in ipairs(hostile) do inputs[position] = { id = text, state = "done", log = text } end
    fleet("browser.jsonl", inputs)
    assert.equal(0, workspace:bide({ "run", "jobs.lua", "--each", "browser.jsonl", "--max-wait", "9s", "-q", "--output",
      "html=browser.html" }).code)
    local done = workspace:shell("HOME=$PWD timeout 60 chromium --headless --no-sandbox --disable-gpu "
      .. "--user-data-dir=$PWD/profile --dump-dom file://$PWD/browser.html 2>chromium.log")
    done:prints(0, '<div class="tools" id="tools">')
    assert.equal(#hostile, count(done.stdout, '<details class="w"'))
    assert.equal(1, count(done.stdout, "<script"))
  end)

  it("for a job of GitHub is appended to the summary of its step", function()
    workspace:write("summary.md", "before\n")
    local words = { "run", "jobs.lua", "id=one", "state=done", "--max-wait", "9s", "-q", "--output", "github" }
    local done = workspace:bide(words, { env = { GITHUB_STEP_SUMMARY = workspace.path .. "/summary.md" } })
    assert.equal(0, done.code)
    assert.matches("^before\n### ✅ JobDone succeeded\n\nJobDone succeeded after 1 attempt", workspace:read "summary.md")
    done = workspace:bide(words, { env = { GITHUB_STEP_SUMMARY = "" } })
    done:says(2, "GITHUB_STEP_SUMMARY is not set")
  end)
end)
