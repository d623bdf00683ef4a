---A wait until something is gone succeeded at once for a name that fits nothing: a path whose ~ no shell had expanded, a
---name with the brackets of ps or a pattern, braces, patterns of ksh, and the name that a clone gives a branch of the
---repository, or a commit; a variable in a path, a URL, and blanks or quotes around the name of a process.

local Workspace = require "spec.support.workspace"

---Words, the exit code, a part of what is said.
local rows = {
  { { "file", "FileGone", '"there"' }, 2, "path: expected a path without quotes, which no shell has removed" },
  { { "file", "FileGone", "path='there'" }, 2, "path: expected a path without quotes, which no shell has removed" },
  { { "process", "ProcessGone", "1,2" }, 2, "name: expected a name, or pid=1 for the process with this id" },
  { { "process", "ProcessGone", "1 2" }, 2, "name: expected a name, or pid=1 for the process with this id" },
  { { "file", "FileGone", "path=~/there" }, 2, "path: expected a path without a ~ that no shell has expanded" },
  { { "file", "FilesGone", "~/*" }, 2, 'found "~/*"' },
  { { "file", "FileGone", "~" }, 2, "expected a path" },
  { { "file", "FileGone", "./~/there" }, 0, "succeeded" },
  { { "file", "LineFound", "~/log", "x" }, 2, "expected a path" },
  { { "file", "FileGone", "{there,other}" }, 2, "path: expected one file, found the pattern" },
  { { "file", "FilesGone", "!(x)" }, 2, "path: expected no patterns of ksh" },
  { { "file", "FilesGone", "+([a-z])" }, 2, "path: expected no patterns of ksh" },
  { { "file", "FilesGone", "@(there|other)" }, 2, "path: expected no patterns of ksh" },
  { { "file", "FilesGone", "\\@(there)" }, 0, "succeeded" },
  { { "file", "FilesGone", "t*(1).pdf" }, 0, "succeeded" },
  { { "file", "FileGone", "$HOME/there" }, 2, "path: expected a path without a $ that no shell has expanded (./$ is that name)" },
  { { "file", "FilesGone", "/run/${NAME}.*" }, 2, "path: expected a path without a $" },
  { { "file", "FileGone", "./$HOME" }, 0, "succeeded" },
  { { "file", "FileGone", "A$B.class" }, 0, "succeeded" },
  { { "file", "FileGone", "there\n" }, 2, "path: expected a path without blanks and line breaks around it" },
  { { "file", "FilesGone", " *" }, 2, "path: expected a path without blanks" },
  { { "unix", "SocketClosed", "/run/app.sock " }, 2, "path: expected a path without blanks" },
  { { "file", "FileGone", "./there " }, 0, "succeeded" },
  { { "file", "FileGone", "file:///run/app.pid" }, 2, "path: expected a path, which is no URL" },
  { { "unix", "SocketClosed", "~/app.sock" }, 2, "path: expected a path" },
  { { "unix", "SocketClosed", "$XDG_RUNTIME_DIR/app.sock" }, 2, "path: expected a path without a $" },
  { { "unix", "SocketClosed", "unix:///run/app.sock" }, 2, "path: expected a path, which is no URL" },
  { { "process", "ProcessGone", "pid_file=~/app.pid" }, 2, "pid_file: expected a path" },
  { { "process", "ProcessGone", "[b]ash" }, 2, 'name: expected a name without brackets, such as "bash", found "[b]ash"' },
  { { "process", "ProcessGone", "[p]ython3 worker.py" }, 2, 'a name without brackets, such as "python3 worker.py"' },
  { { "process", "ProcessGone", "^bash$" }, 2, "name: expected a name, which is no pattern" },
  { { "process", "ProcessGone", "bash|zsh" }, 2, "name: expected a name, which is no pattern" },
  { { "process", "ProcessGone", "[" }, 0, "" },
  { { "process", "ProcessGone", "no-such-program [a] ^b$ c|d" }, 0, "" },
  { { "process", "ProcessGone", "[kthreadd]" }, 2, "name: expected a name without the brackets of ps, such as \"kthreadd\"" },
  { { "process", "ProcessGone", "bide*" }, 2, "name: expected a name, which is no pattern" },
  { { "process", "ProcessGone", "bid?" }, 2, "name: expected a name, which is no pattern" },
  { { "process", "ProcessGone", "bide " }, 2, "name: expected a name without blanks around it" },
  { { "process", "ProcessGone", " bide" }, 2, "name: expected a name without blanks around it" },
  { { "process", "ProcessGone", "bide\trun" }, 2, "name: expected a name without blanks around it" },
  { { "process", "ProcessGone", '"bide"' }, 2, "name: expected a name without quotes" },
  { { "process", "ProcessGone", "pid_file=$RUN/app.pid" }, 2, "pid_file: expected a path without a $" },
  { { "process", "ProcessGone", "pid=4194305" }, 2, "pid: expected 1 to 4194304" },
  { { "dns", "NameGone", "localhost/" }, 2, "name: expected one name of a host" },
  { { "dns", "NameGone", "*.localhost" }, 2, "name: expected one name of a host" },
  { { "dns", "NameGone", "$HOST" }, 2, "name: expected one name of a host" },
  { { "dns", "NameGone", '"localhost"' }, 2, "name: expected one name of a host" },
  { { "dns", "NameGone", "münchen.test" }, 2, "without a port or a scheme, in the form xn--…" },
  { { "redis", "KeyGone", "127.0.0.1:1", "jobs:*" }, 2, "name: expected the name of one key, which is no pattern" },
  { { "etcd", "KeyDeleted", "127.0.0.1:1", "/jobs/*" }, 2, "key: expected the name of one key" },
  { { "amqp", "QueueGone", "127.0.0.1:1", "jobs.*" }, 2, "queue: expected the name of one queue" },
  { { "ldap", "EntryGone", "127.0.0.1:1", "base=cn=*,dc=shop" }, 2, "base: expected the name of one entry" },
  { { "git_ref", "RefGone", ".", "origin/main" }, 4, "no ref origin/main, but main: origin is a clone's word" },
  { { "git_ref", "RefGone", ".", "remotes/origin/main" }, 4, "but main" },
  { { "git_ref", "RefGone", ".", "origin/none" }, 0, "succeeded" },
  { { "git_ref", "RefExists", ".", "origin/main" }, 4, "but main" },
  { { "git_ref", "RefGone", ".", ("0123456789"):rep(4) }, 2, "ref: expected the name of one ref" },
}

describe("a name that fits nothing", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("there", "")
    workspace:shell "git init -q -b main . && git -c user.name=a -c user.email=a commit -q --allow-empty -m a"
  end)

  for _, row in ipairs(rows) do
    local words, code, text = table.unpack(row)
    it(("is no proof: %s: %d"):format(table.concat(words, " "), code), function()
      local own = { words[1], "--max-attempts", "2", "--max-wait", "50s", table.unpack(words, 2) }
      local done = workspace:bide(own, { tool = words[1] == "git_ref" }) -- git gets no preloaded sanitizer
      done:writes(code, text)
    end)
  end
end)
