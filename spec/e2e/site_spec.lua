---`make site`: the pages of docs as a site, in which no link leads nowhere and nothing comes from outside.

local process = require "spec.support.process"

if process.bide ~= "build/bide" then return end

local function has(name, text)
  local file <close> = assert(io.open("build/site/html/" .. name))
  assert.truthy(file:read("a"):find(text, 1, true), name)
end

describe("make site", function()
  it("makes all pages, without a broken link", function()
    local has_mkdocs = process.run({ "/bin/sh", "-c", "command -v mkdocs" }, { tool = true }).code == 0
    if not has_mkdocs then pending "mkdocs is missing: install the package mkdocs" end
    local done = process.run({ "make", "-s", "site" }, { tool = true, longest = 120 })
    assert.equal(0, done.code, done.stdout .. done.stderr)
    local pages = done.stdout:match "(%d+) pages, 0 broken links"
    assert.is_true(tonumber(pages) > 130, done.stdout)
    has("search_index.js", '#wait4x", "title": "wait4x", "page": "Come from another tool"')
    has("how-to/come-from-another-tool.html", '<code>bide tcp db:5432 <span class="option">--max-wait</span> 15s</code>')
    has("api/http.html", "<title>bide.http · bide</title>")
    has("api/connections.html", '|<wbr>"syn_recv"|<wbr>')
  end)
end)
