---`make site`: the pages of docs as a site, in which no link leads nowhere, a link leads to each page, and nothing comes
---from outside.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local uv = require "luv"

if process.bide ~= "build/bide" then return end

local HTML = "build/site/html/"

local function has(name, text)
  local file <close> = assert(io.open(HTML .. name))
  assert.truthy(file:read("a"):find(text, 1, true), name)
end

describe("make site", function()
  local directory = Directory.of_each()

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
    assert.is_nil(io.open(HTML .. "sitemap.xml")) -- of addresses, which the site has none of
  end)

  it("fails for a page that no link leads to, and for a link that leads nowhere", function()
    local function finish(index)
      assert(uv.fs_mkdir(directory.path .. "/search", tonumber("755", 8))) -- the script takes it away
      directory:write("index.html", index)
      directory:write("lone.html", '<a href="lone.html">itself</a><a href="index.html">back</a>')
      directory:write("search/search_index.json", '{"docs": []}')
      return process.run({ "python3", "-B", "src/release/site/site_pages.py", "finish", directory.path }, { tool = true })
    end
    local done = finish '<a href="none.html">none</a>'
    assert.equal(1, done.code, done.stderr)
    assert.equal("index.html: none.html leads nowhere\nlone.html: no link leads there\n2 pages, 2 broken links\n", done.stdout)
    done = finish '<a href="lone.html">there</a>'
    assert.equal(0, done.code, done.stdout .. done.stderr)
  end)
end)
