---Waits until a Git repository has a ref: a branch, a tag, or a ref in a longer form, as Git itself finds it by a name. Or,
---with RefGone, until it does not.
---A repository is far, and a poll logs in anew: the delays are 2 s to 30 s.
---
---    bide run git_ref https://git.example.org/app.git v1.2.0 --max-wait 10m
---    bide run git_ref git@git.example.org:app.git main commit=3f2a9c1 timeout=20s --max-wait 10m
---    bide run git_ref https://git.example.org/app.git pull/7/head --max-wait 10m
---
---A repository that shows no refs at all is waited for: it looks like the page of another program.

local acceptor = require "bide.acceptor"
local exec = require "bide.exec"
local json = require("bide").json

---Words that git writes about a repository that waiting does not change.
local final = { "denied", "not found", "not appear", "could not read", "Authentication", "verification", "error: 4" }

---The places where Git looks for a name, in its order (gitrevisions(7)).
local forms = { "%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD" }

---Returns what is wrong with the name of a ref (git-check-ref-format(1)): it would fit none, or be a pattern.
local function mistake_of_ref(ref)
  local is_wrong = ref:find "[%c%s~^:?*%[\\]" or ref:find("..", 1, true) or ref:find("@{", 1, true) or ref:find("//", 1, true)
    or ref:find "^/" or ref:find "/$" or ref:find "%.$" or ref:find "%.lock$" or ref:find "^%." or ref:find "/%." or ref == "@"
  is_wrong = is_wrong or ref:find "^%x+$" and (#ref == 40 or #ref == 64)
  if not is_wrong then return nil end
  return ("ref: expected the name of one ref, such as main, v1.2.0 or refs/heads/main, found %s"):format(json.encode(ref))
end

---Returns the command that lists the refs that fit some names, or all of them.
local function listing(input, ...)
  return {
    env = { GIT_TERMINAL_PROMPT = 0, LC_ALL = "C" },
    timeout = input.timeout,
    "git", "ls-remote", "--", input.repository, ...,
  }
end

---Returns the commits by the names that git lists; the commit that a tag points to has the name with ^{} behind it.
local function list_refs(command)
  local done = exec(command)
  if done.code ~= 0 then
    local kind = "RepositoryUnreachable"
    for _, words in ipairs(final) do kind = done.stderr:find(words) and "RepositoryRefused" or kind end
    error { type = kind, message = done.stderr:match "[^\n]+" or "git failed" }
  end
  local commits = {}
  for commit, name in done.stdout:gmatch "(%x+)\t([^\n]+)" do commits[name] = commit end
  return commits
end

---Raises RepositoryEmpty if a repository shows no refs: a program that answers everything with an empty page looks like one.
local function check_refs(input, command)
  local ok, commits = pcall(list_refs, command)
  if not ok and commits.type ~= "OutputTooLarge" then error(commits, 0) end
  if ok and next(commits) == nil then
    error { type = "RepositoryEmpty", message = input.repository .. " shows no refs at all" }
  end
end

---Returns the words of a name that a clone gives to a ref of the repository: origin, main.
---@return string? clone
---@return string? name in the repository
local function parts_of_clone(name)
  return name:gsub("^remotes/", ""):match(name:find "^remotes/" and "^([^/]+)/(.+)$" or "^(origin)/(.+)$")
end

---Returns the ref that Git finds by a name.
local function find_ref(commits, name)
  for _, form in ipairs(forms) do
    local ref = form:format(name)
    if commits[ref] then return ref end
  end
end

local function prepare(input)
  local mistake = mistake_of_ref(input.ref)
  if mistake then return nil, mistake end
  local clone, own = parts_of_clone(input.ref)
  local list_ref, list_all = listing(input, "HEAD", input.ref, input.ref .. "^{}", own), listing(input)
  local wanted = (input.commit or ""):lower()
  return function()
    local commits = list_refs(list_ref)
    local ref = find_ref(commits, input.ref)
    if not ref and next(commits) == nil then check_refs(input, list_all) end
    if not ref and own and find_ref(commits, own) then
      error { type = "NameOfClone", message = ("no ref %s, but %s: %s is a clone's word"):format(input.ref, own, clone) }
    end
    if not ref then error { type = "RefNotFound", message = "no ref " .. input.ref } end
    local commit, tag = commits[ref .. "^{}"] or commits[ref], commits[ref]
    if #wanted > #commit then
      error { type = "CommitTooLong", message = ("commit: expected at most %d digits, found %d"):format(#commit, #wanted) }
    end
    if commit:sub(1, #wanted) == wanted or tag:sub(1, #wanted) == wanted then return { ref = ref, commit = commit } end
    error { type = "UnexpectedValue", message = ("%s: expected %s, found %s"):format(ref, wanted, commit) }
  end
end

local function waiter(members, there, missing)
  members.minDelay, members.maxDelay = 2, 30
  members.acceptors = {
    acceptor.success(there),
    acceptor.error(missing, "RefNotFound"),
    acceptor.error(missing, "UnexpectedValue"),
    acceptor.transient("RepositoryUnreachable", "RepositoryEmpty", "NameOfClone"),
  }
  return members
end

return { Find = {
  prepare = prepare,
  fact = "join(' is ', [ref, commit])",
  default = "RefExists",
  input = {
    repository = {
      type = "string", required = true, positional = 1, example = "https://git.example.org/app.git",
      documentation = "The URL or the folder of the repository.",
    },
    ref = { type = "string", required = true, positional = 2, example = "main", documentation = "The name of the ref." },
    commit = {
      type = "string", asks = true, pattern = "^%x%x%x%x+$", expected = "at least 4 hexadecimal digits",
      documentation = "A commit, or at least its first 4 digits, that the ref must point to.",
    },
    timeout = { type = "duration", default = 30, documentation = "The time for one attempt." },
  },
  waitable = {
    RefExists = waiter({
      documentation = "Waits until a ref exists.",
      countsAsReady = "git ls-remote lists the ref; with commit, it points there",
      opposite = "RefGone",
    }, "success", "retry"),
    RefGone = waiter({
      documentation = "Waits until there is no such ref.",
      countsAsGone = "git ls-remote lists refs of the repository, and this one under none of its names; with commit, or it "
        .. "points elsewhere",
      opposite = "RefExists",
    }, "retry", "success"),
  },
} }
