local uv = require "luv"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local failure_of = require "spec.support.failure_of"
local glob = require "bide.file.glob"

describe("bide.file.glob", function()
  local workspace = Workspace.of_each()

  ---Returns the paths that fit, below the folder.
  local function find(pattern, given)
    local input, paths = given or {}, {}
    input.path = workspace.path .. "/" .. pattern
    for number, found in ipairs(glob.files(input)) do paths[number] = found.path:sub(#workspace.path + 2) end
    return table.concat(paths, " ")
  end

  ---A pattern, and the names that it finds of a.csv, b.csv, b.txt, .hidden, "ä", "[x]" and "a*b".
  local patterns = {
    { "*.csv", "a.csv b.csv" }, { "?.csv", "a.csv b.csv" }, { "[bc].csv", "b.csv" }, { "[!b].csv", "a.csv" },
    { "[^a-b].csv", "" }, { "b.*", "b.csv b.txt" }, { ".*", ".hidden" }, { "?", "ä" }, { "a\\*b", "a*b" }, { "[[]x]", "[x]" },
    { "[]x[]*", "[x]" }, { "*v", "a.csv b.csv" }, { "*.*s*v*", "a.csv b.csv" }, { "a.csv", "a.csv" }, { "none", "" },
    { "*", "[x] a*b a.csv b.csv b.txt sub ä" }, { "*/*", "sub/a.csv" }, { "s*/a.csv", "sub/a.csv" }, { "*/none", "" },
    { "none/*", "" }, { "a.csv/*", "" }, { "%a.csv", "" }, { "*/", "sub/" },
    { "[ä]", "ä" }, { "[à-é]", "ä" }, { "[!a]", "ä" }, { "[\\]x[]*", "[x]" }, { "[[\\]]*]", "[x]" },
    { "[a-]*", "a*b a.csv" }, { "{a}.csv", "" }, { "\\{a,b}", "" }, { "*/*/*", "" }, { "loop/*", "" }, { "*/none/*", "" },
  }

  it("finds what a shell finds, in order", function()
    for _, name in ipairs { "a.csv", "b.csv", "b.txt", ".hidden", "ä", "[x]", "a*b" } do workspace:write(name, "") end
    uv.fs_symlink("loop", workspace.path .. "/loop")
    uv.fs_mkdir(workspace.path .. "/sub", 448)
    workspace:write("sub/a.csv", "")
    for _, case in ipairs(patterns) do assert.equal(case[2], find(case[1]), case[1]) end
  end)

  it("counts by the time since the last write", function()
    local now = core.loop.wall() / 1000
    uv.fs_utime(workspace:write("old", ""), now - 100, now - 100)
    workspace:write("new", "")
    assert.equal("old", find("*", { stable = 50 }))
    assert.equal("new", find("*", { age = 50 }))
    assert.equal("", find("*", { age = 50, stable = 60 }))
  end)

  it("takes a time that is proportional to the name, whatever the pattern", function()
    workspace:write(("a"):rep(250), "")
    assert.equal("", find(("*a"):rep(100) .. "*b"))
  end)

  it("refuses what is no path", function()
    assert.equal("InvalidPath", failure_of(glob.files, { path = "" }).type)
    assert.equal("InvalidPath", failure_of(glob.files, { path = "*\0" }).type)
  end)

  it("counts for an operation of a script, one file at least by default", function()
    local path = workspace.path .. "/*.csv"
    local function count(given)
      local found = glob.count { path = path, count = given and given.count, stable = given and given.stable }
      return { found.count, found.enough, found.gone }
    end
    assert.same({ 0, false, true }, count())
    assert.is_false(assert(glob.prepare { path = path })().enough)
    workspace:write("a.csv", "")
    assert.same({ 1, true, false }, count())
    assert.same({ 1, false, false }, count { count = 2 })
    assert.same({ 0, false, false }, count { stable = 60 })
    uv.fs_symlink("none", workspace.path .. "/b.csv")
    assert.same({ 1, true, false }, count())
    assert.equal("InvalidPath", failure_of(glob.count, { path = "**" }).type)
    assert.equal("InvalidPath", failure_of(glob.count, { path = "" }).type)
  end)

  it("says what is wrong with a pattern that fits no file", function()
    for _, pattern in ipairs { "a/**", "[a", "[[:alpha:]]", "[z-a]", "{a,b}", "{1..3}", "!(a)" } do
      local mistake = glob.mistake(pattern)
      assert.matches("^expected .*found", mistake, pattern)
      assert.equal("path: " .. mistake, glob.check { path = pattern })
      assert.same({ nil, "path: " .. mistake }, { glob.prepare { path = pattern } })
      assert.equal("InvalidPath", failure_of(glob.files, { path = pattern }).type)
    end
    assert.same({}, { glob.mistake "a/*.csv", glob.check { path = "a/*.csv" } })
  end)

  describe("in the recipe file", function()
    local function start(...)
      return workspace:start { "run", "file", "--min-delay", "50ms", "--max-delay", "50ms", "--max-wait", "50s", ... }
    end

    it("waits until enough files fit, and until none does", function()
      workspace:write("1.csv", "")
      local started = start("FilesCounted", "*.csv", "count=2")
      started:wait_for_output "attempt 1"
      workspace:write("2.csv", "")
      assert.equal(0, started:wait().code, started.stderr)
      started = start("--invert", "FilesCounted", "*.csv")
      started:wait_for_output "attempt 1"
      os.remove(workspace.path .. "/1.csv")
      os.remove(workspace.path .. "/2.csv")
      started:wait():prints(0, "FilesGone succeeded")
    end)

    it("names the first and the last of them", function()
      for number = 1, 3 do workspace:write(number .. ".csv", "") end
      local outcome = workspace:outcome { "run", "file", "FilesCounted", "?.csv", "--max-wait", "50s" }
      assert.same({ 3, "1.csv", "3.csv" }, { outcome.output.count, outcome.output.first.path, outcome.output.last.path })
    end)
  end)
end)
