---RefGone succeeded for names that Git itself resolves (heads/main), for patterns and names that no ref can have, for a
---commit in capital letters or with a digit too many, and by an empty page of any web server.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local process = require "spec.support.process"

describe("RefGone", function()
  local directory = Directory.of_block()
  local server, head

  local function git(...)
    local done = process.run({ "git", "-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", ... },
      { cwd = directory.path, tool = true })
    assert(done.code == 0, done.stderr)
    return done.stdout:match "^%s*(.-)%s*$"
  end

  setup(function()
    git("init", "--quiet", "--initial-branch", "main")
    git("commit", "--quiet", "--allow-empty", "--message", "A change")
    git("tag", "--annotate", "--message", "One", "v1.0")
    git("update-ref", "refs/pull/1/head", "HEAD")
    git("update-ref", "refs/remotes/origin/next", "HEAD")
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next")
    head = git("rev-parse", "HEAD")
  end)

  Server.close_after_each()

  local function run(waiter, ...)
    return process.run({ process.bide, "git_ref", waiter, "--max-wait", "50s", ... }, { tool = true })
  end

  for name, full in pairs {
    ["heads/main"] = "refs/heads/main", ["tags/v1.0"] = "refs/tags/v1.0", ["v1.0"] = "refs/tags/v1.0", main = "refs/heads/main",
    ["pull/1/head"] = "refs/pull/1/head", ["refs/pull/1/head"] = "refs/pull/1/head", HEAD = "HEAD",
    ["origin/next"] = "refs/remotes/origin/next", origin = "refs/remotes/origin/HEAD",
  } do
    it("finds a name as Git does: " .. name, function()
      assert.equal(head, git("rev-parse", name .. "^{commit}"))
      run("RefExists", directory.path, name, "--output", "json"):prints(0, ('"ref": "%s"'):format(full))
      assert.equal(4, run("RefGone", directory.path, name, "--max-attempts", "1").code)
    end)
  end

  it("succeeds for what is not there", function()
    for _, name in ipairs { "mai", "ain", "heads/mai", "head", "1/head", "next", "v1", "feature/main", "heads/v1.0" } do
      assert.equal(0, run("RefGone", directory.path, name).code, name)
    end
  end)

  for _, name in ipairs {
    "v1.*", "ma?n", "[m]ain", "refs/heads/main/", "/refs/heads/main", "refs//heads/main", "main^", "HEAD~1", "a..b", "@",
    "main@{1}", "two words", "main.lock", ".main", "main.", "a\\b", "main:file",
  } do
    it("refuses what is the name of no ref: " .. name, function()
      for _, waiter in ipairs { "RefGone", "RefExists" } do
        local done = run(waiter, directory.path, name)
        assert.same({ 2, "" }, { done.code, done.stdout })
        assert.matches("ref: expected the name of one ref, such as main, v1.2.0 or refs/heads/main, found", done.stderr, 1, true)
      end
    end)
  end

  it("compares commits in any case, and takes that of a tag itself", function()
    local tag = git("rev-parse", "v1.0")
    for _, commit in ipairs { head, head:upper(), head:sub(1, 7):upper() } do
      assert.equal(4, run("RefGone", directory.path, "main", "commit=" .. commit, "--max-attempts", "1").code)
      assert.equal(0, run("RefExists", directory.path, "v1.0", "commit=" .. commit).code)
    end
    assert.equal(4, run("RefGone", directory.path, "v1.0", "commit=" .. tag, "--max-attempts", "1").code)
    assert.equal(0, run("RefGone", directory.path, "main", "commit=" .. tag).code)
    assert.equal(2, run("RefGone", directory.path, "main", "commit=a").code)
    for _, middle in ipairs { head:sub(2), tag:sub(2) } do
      assert.equal(4, run("RefExists", directory.path, "v1.0", "commit=" .. middle, "--max-attempts", "1").code)
    end
  end)

  it("does not succeed by a server that answers everything with an empty page, nor by an empty repository", function()
    server = Server.start(function() return { status = 200, body = "" } end)
    run("RefGone", server.url .. "/x.git", "main", "--max-attempts", "2"):writes(4, "shows no refs at all")
    local other = Directory.make()
    assert.equal(0, process.run({ "git", "init", "--quiet", other.path }, { tool = true }).code)
    assert.equal(4, run("RefGone", other.path, "main", "--max-attempts", "1").code)
    assert.equal(4, run("RefExists", other.path, "main", "--max-attempts", "1").code)
    other:remove()
  end)

  for _, answer in ipairs {
    { status = 200, body = "<html>maintenance</html>" }, { status = 404 }, { status = 403 }, { status = 500 }, { status = 502 },
    { status = 200, body = "{}", headers = { ["Content-Type"] = "application/json" } },
  } do
    it(("does not succeed by the page of another program: %d %s"):format(answer.status, answer.body or ""), function()
      server = Server.start(function() return answer end)
      assert.not_equal(0, run("RefGone", server.url .. "/x.git", "main", "--max-attempts", "1").code)
    end)
  end

  it("takes no commit with more digits than those of the repository", function()
    for _, waiter in ipairs { "RefGone", "RefExists" } do
      local done = run(waiter, directory.path, "main", "commit=" .. head .. "0", "--quiet")
      done:says(3, "CommitTooLong: commit: expected at most 40 digits, found 41")
    end
  end)
end)
