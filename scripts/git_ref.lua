---Waits until a Git repository has a ref: a branch, a tag, or refs/… in full. Or, with RefGone, until it does not.
---
---    bide run git_ref repository=https://git.example.org/app.git ref=v1.2.0 --max-wait 10m
---    bide run git_ref repository=git@git.example.org:app.git ref=main commit=3f2a9c1 timeout=20 --max-wait 10m
---
---commit (or its first digits) is where the ref must point, or with RefGone must not. A tag points to its commit.

local acceptor, exec = require "bide.acceptor", require "bide.exec"
local check = require "bide.input" { required = { "repository", "ref" },
  optional = { "commit" }, seconds = { "timeout" } }
local final = { "denied", "not found", "not appear", "could not read", "Authentication", "verification", "error: 4" }

local function list_refs(input)
  local done = exec({ "git", "ls-remote", "--", input.repository, input.ref, input.ref .. "^{}" },
    { env = { GIT_TERMINAL_PROMPT = 0, LC_ALL = "C" }, timeout = input.timeout or 30 })
  if done.code == 0 then return done.stdout:gmatch "(%x+)\t([^\n]+)" end
  local kind = "RepositoryUnreachable"
  for _, words in ipairs(final) do kind = done.stderr:find(words) and "RepositoryRefused" or kind end
  error { type = kind, message = done.stderr:match "[^\n]+" or "git failed" }
end

local function find(input)
  local commits, ref = {}, check(input).ref
  for commit, name in list_refs(input) do commits[name] = commit end
  for _, name in ipairs { "refs/heads/" .. ref, "refs/tags/" .. ref } do ref = commits[name] and name or ref end
  local commit = commits[ref .. "^{}"] or commits[ref] or error { type = "RefNotFound", message = "no ref " .. ref }
  if not input.commit or commit:find(input.commit, 1, true) == 1 then return { ref = ref, commit = commit } end
  error { type = "UnexpectedValue", message = ("%s: expected %s, found %s"):format(ref, input.commit, commit) }
end

local function waiter(documentation, there, missing)
  return { documentation = documentation, minDelay = 2, maxDelay = 30, acceptors = {
    acceptor.success(there), acceptor.error(missing, "RefNotFound"), acceptor.error(missing, "UnexpectedValue"),
    acceptor.transient "RepositoryUnreachable" } }
end

return { Find = { call = find, default = "RefExists", waitable = {
  RefExists = waiter("Waits until a ref exists.", "success", "retry"),
  RefGone = waiter("Waits until there is no such ref.", "retry", "success"),
} } }
