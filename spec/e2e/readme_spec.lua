---README says only what a spec holds: each of its claims is a row here, with the spec and the words of it. A claim that is
---new in README fails until it has a row.

local read = require "spec.support.read"

---The beginning of each claim, the spec that holds it, and a text of that spec.
local claims = {
  { "stops at a failure", "spec/e2e/until_spec.lua", "--fail" },
  { "says yes only to a yes", "spec/e2e/gates_spec.lua", "stays closed before " },
  { "says yes only to a yes", "spec/regress/empty_text_spec.lua", "is a mistake for every input of every bundled recipe" },
  { "says yes only to a yes", "spec/e2e/conditions_spec.lua", "is a retry over HTTP where there is no JSON" },
  { "says yes only to a yes", "spec/unit/probe/kubernetes/progress_spec.lua", "an object that is being deleted" },
  { "keeps its deadline", "spec/e2e/http_cancel_spec.lua", "is gone at once, while the server is silent" },
  { "keeps its deadline", "spec/e2e/task_spec.lua", "is cut although it " },
  { "asks often, then seldom", "spec/unit/wait/lateness_spec.lua",
    "finds every state late by at most 5 % of the time waited, or 50 ms" },
  { "asks often, then seldom", "spec/e2e/retry_after_spec.lua", "asks again when the service wants it" },
  { "tells you why", "spec/e2e/outcome_spec.lua", "has its members in the order in which people read them" },
  { "survives", "spec/e2e/journal_spec.lua", "lets a wait that was killed end as the uninterrupted one does" },
  { "survives", "spec/e2e/crash_spec.lua", "is compared with one that is not" },
}

local readme = read "README.md"

describe("README", function()
  for _, claim in ipairs(claims) do
    it(("%s: %s"):format(claim[1], claim[2]), function()
      assert.is_truthy(readme:find("- **" .. claim[1], 1, true), "README does not say it")
      assert.is_truthy(read(claim[2]):find(claim[3], 1, true), "the spec does not have it")
    end)
  end

  it("claims nothing without a spec", function()
    local held = {}
    for _, claim in ipairs(claims) do held[claim[1]] = true end
    local part = readme:match "## Why not a loop%?\n(.-)\n| exit code"
    for words in part:gmatch "%- %*%*([^*]-)%.?%*%*" do assert.is_true(held[words], words) end
  end)

  it("counts the bundled recipes", function()
    local count = 0
    for _ in io.popen("ls scripts/*.lua"):lines() do count = count + 1 end
    assert.equal(count, tonumber(readme:match "%[(%d+) of them%]"))
  end)
end)
