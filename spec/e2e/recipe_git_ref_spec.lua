local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local port = require "spec.support.port"
local process = require "spec.support.process"

require "spec.support.proven"

describe("the recipe git_ref, with a repository", function()
  local directory = Directory.of_each()
  local server

  ---Runs git in the repository, and returns what it says.
  local function git(...)
    local done = process.run({ "git", "-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", ... },
      { cwd = directory.path, tool = true })
    assert(done.code == 0, done.stderr)
    return done.stdout:match "^%s*(.-)%s*$"
  end

  local function commit(...)
    git("commit", "--quiet", "--allow-empty", "--message", "A change", ...)
    return git("rev-parse", "HEAD")
  end

  before_each(function()
    git("init", "--quiet", "--initial-branch", "main")
    commit()
  end)

  Server.close_after_each()

  ---git is not what is tested, and gets no preloaded sanitizer either.
  local function start(...)
    return process.start({ process.bide, "run", "git_ref", "--min-delay", "50ms", "--max-delay", "50ms", ... },
      { tool = true })
  end

  local function find(...) return start("repository=" .. directory.path, ...) end

  it("waits until a tag is there, and tells the commit behind it", function()
    local started = find("ref=v1", "--max-wait", "50s", "--output", "json")
    started:wait_for_output "RefNotFound"
    git("tag", "--annotate", "--message", "One", "v1")
    started:wait():prints(0, '"waiter": "RefExists"', '"ref": "refs/tags/v1"', '"commit": "' .. git("rev-parse", "HEAD"))
  end)

  it("knows a branch, and no other whose name ends alike", function()
    git("branch", "feature/main-line")
    assert.equal(0, find("ref=main", "--max-wait", "5s"):wait().code)
    assert.equal(0, find("ref=refs/heads/main", "--max-wait", "5s"):wait().code)
    assert.equal(0, find("ref=HEAD", "--max-wait", "5s"):wait().code)
    assert.equal(0, find("ref=feature/main-line", "--max-wait", "5s"):wait().code)
    assert.equal(124, find("ref=main-line", "--max-wait", "100ms"):wait().code)
    assert.equal(2, find("ref=*", "--max-wait", "100ms"):wait().code)
  end)

  it("waits until a branch points to a commit, of which the first digits will do", function()
    local first = git("rev-parse", "HEAD")
    local wanted = commit()
    git("reset", "--quiet", "--hard", first)
    local started = find("ref=main", "commit=" .. wanted:sub(1, 8), "--max-wait", "50s")
    started:wait_for_output(("refs/heads/main: expected %s, found %s"):format(wanted:sub(1, 8), first))
    git("reset", "--quiet", "--hard", wanted)
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("waits until a ref is gone", function()
    git("branch", "old")
    local started = find("RefGone", "ref=old", "--max-wait", "50s")
    started:wait_for_output "attempt 1"
    git("branch", "--quiet", "-D", "old")
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("waits for a server that is not there yet, and for one that fails", function()
    local done = start("repository=http://127.0.0.1:" .. port.free() .. "/x.git", "ref=main", "--max-wait", "300ms"):wait()
    done:says(124, "RepositoryUnreachable: fatal: unable to access")
    server = Server.start(function() return { status = 503 } end)
    done = start("repository=" .. server.url .. "/x.git", "ref=main", "--max-wait", "300ms"):wait()
    done:says(124, "error: 503")
  end)

  it("fails at once where there is no such repository, or it asks for a password", function()
    local done = start("repository=" .. directory.path .. "/none", "ref=main", "--max-wait", "50s"):wait()
    assert.equal(3, done.code)
    assert.matches("RepositoryRefused: fatal: '.*/none' does not appear to be a git repository", done.stderr)
    server = Server.start(function() return { status = 401, headers = { ["WWW-Authenticate"] = 'Basic realm="x"' } } end)
    done = start("repository=" .. server.url .. "/x.git", "ref=main", "--max-wait", "50s"):wait()
    done:says(3, "could not read Username")
    server:close()
    server = Server.start(function() return { status = 404 } end)
    assert.equal(3, start("repository=" .. server.url .. "/x.git", "ref=main", "--max-wait", "50s"):wait().code)
  end)

  it("takes no repository for an option", function()
    local done = start("repository=--upload-pack=touch " .. directory.path .. "/bad", "ref=main", "--max-wait", "100ms"):wait()
    assert.not_equal(0, done.code)
    assert.is_nil(io.open(directory.path .. "/bad"))
  end)

  it("names an input that is mistyped or missing", function()
    assert.matches("ref: expected .*, found nothing", find("--max-wait", "50s"):wait().stderr)
    assert.matches('unknown input "comit", did you mean "commit"%?', find("ref=x", "comit=y", "--max-wait", "50s"):wait().stderr)
  end)
end)
