---Waits until a Git repository has a ref: a branch, a tag, or refs/… in full. Or, with RefGone, until it does not.
---A repository is far, and a poll logs in anew: the delays are 2 s to 30 s.
---
---    bide run git_ref https://git.example.org/app.git v1.2.0 --max-wait 10m
---    bide run git_ref git@git.example.org:app.git main commit=3f2a9c1 timeout=20s --max-wait 10m

local acceptor, exec = require "bide.acceptor", require "bide.exec"
local final = { "denied", "not found", "not appear", "could not read", "Authentication", "verification", "error: 4" }
local function list_refs(input)
  local done = exec({ "git", "ls-remote", "--", input.repository, input.ref, input.ref .. "^{}" },
    { env = { GIT_TERMINAL_PROMPT = 0, LC_ALL = "C" }, timeout = input.timeout })
  if done.code == 0 then return done.stdout:gmatch "(%x+)\t([^\n]+)" end
  local kind = "RepositoryUnreachable"
  for _, words in ipairs(final) do kind = done.stderr:find(words) and "RepositoryRefused" or kind end
  error { type = kind, message = done.stderr:match "[^\n]+" or "git failed" }
end

local function find(input)
  local commits, ref = {}, input.ref
  for commit, name in list_refs(input) do commits[name] = commit end
  for _, name in ipairs { "refs/heads/" .. ref, "refs/tags/" .. ref } do ref = commits[name] and name or ref end
  local commit = commits[ref .. "^{}"] or commits[ref] or error { type = "RefNotFound", message = "no ref " .. ref }
  if not input.commit or commit:find(input.commit, 1, true) == 1 then return { ref = ref, commit = commit } end
  error { type = "UnexpectedValue", message = ("%s: expected %s, found %s"):format(ref, input.commit, commit) }
end

local function waiter(documentation, opposite, there, missing)
  return { documentation = documentation, opposite = opposite, minDelay = 2, maxDelay = 30, acceptors = {
    acceptor.success(there), acceptor.error(missing, "RefNotFound"), acceptor.error(missing, "UnexpectedValue"),
    acceptor.transient "RepositoryUnreachable" } }
end

return { Find = { call = find, default = "RefExists", input = {
  repository = { type = "string", required = true, positional = 1, example = "https://git.example.org/app.git",
    documentation = "The URL or the folder of the repository." },
  ref = { type = "string", required = true, positional = 2, example = "main", documentation = "The name of the ref." },
  commit = { type = "string", asks = true, pattern = "^%x+$",
    documentation = "A commit, or its first digits, that the ref must point to." },
  timeout = { type = "duration", default = 30, documentation = "The time for one attempt." },
}, waitable = { RefExists = waiter("Waits until a ref exists.", "RefGone", "success", "retry"),
  RefGone = waiter("Waits until there is no such ref.", "RefExists", "retry", "success") } } }
