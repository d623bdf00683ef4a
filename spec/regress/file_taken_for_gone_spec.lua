---FileGone and FilesGone succeeded while the name was there: as a link that leads to no file, as lock files of editors and
---browsers are, before a slash, or for a pattern that bide reads otherwise than a shell. A looping link ended a pattern.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

describe("a file is not gone", function()
  local workspace = Workspace.of_each()

  local function run(...)
    return workspace:bide { "file", "--interval", "20ms", "--max-attempts", "2", "--max-wait", "50s", ... }
  end

  local function link(target, name)
    assert(uv.fs_symlink(target, workspace.path .. "/" .. name))
  end

  for target, name in pairs { ["nowhere"] = "dang.lock", ["12345:host"] = "lock.lock", ["own.lock"] = "own.lock" } do
    it("while a link of that name leads to no file: " .. target, function()
      link(target, name)
      for _, words in ipairs {
        { "FileGone", name }, { "FileExists", name }, { "FilesGone", "*.lock" }, { "FilesGone", name },
        { "FilesCounted", "*.lock" }, { "FileExists", name, "--invert" }, { "FilesGone", "*.lock", "age=1s" },
        { "FileGone", name .. "/" },
      } do
        local done = run(table.unpack(words))
        assert.equal(4, done.code, table.concat(words, " ") .. done.stdout)
      end
      uv.fs_unlink(workspace.path .. "/" .. name)
      assert.equal(0, run("FileGone", name).code)
      assert.equal(0, run("FilesGone", "*.lock").code)
    end)
  end

  it("while a file is there before the slash, which is a failure that says so", function()
    workspace:write("1.csv", "")
    for _, waiter in ipairs { "FileGone", "FileExists" } do
      run(waiter, "1.csv/"):writes(3, "NotAFolder: 1.csv/: found a file and a slash behind it: leave the slash out")
      run(waiter, "1.csv/."):writes(3, "NotAFolder: 1.csv/.: found a file and a slash behind it")
      run(waiter, "1.csv/.//./"):writes(3, "NotAFolder: 1.csv/.//./: found a file and a slash behind it")
    end
    uv.fs_mkdir(workspace.path .. "/folder", 448)
    assert.equal(0, run("FileExists", "folder/").code)
    assert.equal(4, run("FileGone", "folder/").code)
    assert.equal(0, run("FileGone", "none/").code)
    assert.equal(0, run("FileGone", "none/.").code)
    assert.equal(4, run("FileGone", "folder/.").code)
    assert.equal(0, run("FileGone", "1.csv/below").code)
  end)

  it("while it is not stable yet", function()
    workspace:write("1.csv", "")
    assert.equal(4, run("FilesGone", "*.csv", "stable=1h").code)
    assert.equal(4, run("FilesCounted", "*.csv", "stable=1h").code)
  end)

  it("by a pattern that means something else in a shell, which is a mistake", function()
    for _, name in ipairs { "1.csv", "2.tsv", "é.csv" } do workspace:write(name, "") end
    for pattern, words in pairs {
      ["[[:digit:]]*.csv"] = "the characters of a set themselves, as in [a-z], and no class", ["[[.a.]]"] = "and no class",
      ["*.{csv,tsv}"] = "no braces, which are not expanded", ["{1..3}.csv"] = "no braces", ["{1,é}.csv"] = "no braces",
      ["h/**/deep.csv"] = "one * for each folder: ** is not read", ["**"] = "** is not read", ["a**b"] = "** is not read",
      ["[1-"] = "expected ] at the end of a set", ["x/[a/b]"] = "expected ] at the end of a set",
      ["[]"] = "] at the end of a set",
      ["[9-1].csv"] = "expected 1-9 in place of 9-1 in a set",
    } do
      for _, waiter in ipairs { "FilesGone", "FilesCounted" } do
        local done = run(waiter, pattern)
        assert.same({ 2, "" }, { done.code, done.stdout }, pattern)
        assert.matches("path: expected ", done.stderr, 1, true)
        assert.matches(words, done.stderr, 1, true)
      end
    end
    assert.equal(4, run("FilesGone", "[é].csv").code)
    assert.equal(4, run("FilesGone", "[à-ü].csv").code)
    assert.equal(0, run("FilesGone", "[a].csv").code)
  end)

  it("by a pattern where one file is meant, which is a mistake", function()
    workspace:write("q.lock", "")
    for _, pattern in ipairs { "*.lock", "?.lock" } do
      for _, waiter in ipairs { "FileGone", "FileExists" } do
        local done = run(waiter, pattern)
        assert.same({ 2, "" }, { done.code, done.stdout })
        assert.matches(('found the pattern "%s": FilesCounted and FilesGone take one'):format(pattern), done.stderr, 1, true)
      end
    end
    assert.equal(0, run("FileGone", "[id].tsx").code)
    assert.equal(4, run("FilesGone", "[q].lock").code)
    assert.equal(0, run("FilesGone", "\\*.lock").code)
  end)

  it("and its pattern is read on beyond a looping link, and a folder that is not there", function()
    uv.fs_mkdir(workspace.path .. "/c", 448)
    link("loop", "loop")
    local done = run("FilesGone", "*/*.none")
    assert.equal(0, done.code, done.stdout)
    done = run("FilesGone", "c/none/*", "--output", "json")
    done:prints(0, "there is no folder c/none/")
    workspace:write("c/x.none", "")
    assert.equal(4, run("FilesGone", "*/*.none").code)
  end)
end)

describe("a log that was there before", function()
  local workspace = Workspace.of_each()

  local function run(path, ...)
    return workspace:bide { "file", "LineFound", path, "--max-wait", "50s", ... }
  end

  it("is read from its start if it was made just now", function()
    workspace:write("log", "listening on 1\n")
    assert.equal(0, run("log", "listening").code)
    assert.equal(1, run("log", "never", "failed=listening").code)
    assert.equal(124, run("log", "listening", "from=end", "--max-wait", "1s").code)
  end)

  it("is read from its end if it is older, which the outcome says", function()
    local path, size = uv.fs_realpath "README.md", uv.fs_stat("README.md").size
    local done = run(path, "bide", "--max-wait", "3s")
    done:writes(124, ("; 0 bytes read, no line matches; %d bytes from before were skipped: from=start reads them"):format(size))
    assert.equal(0, run(path, "bide", "from=start").code)
  end)
end)
