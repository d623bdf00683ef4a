---What bide says about recipes: `bide list`, `bide help RECIPE`, `bide RECIPE --help`, and completion.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local uv = require "luv"

local bide = require "bide"

local recipe = [[
--- Waits for things.
--
-- They take a while.
local done = { { state = "success", matcher = { success = true } } }
return {
  Get = {
    default = "ThingDone",
    input = {
      url = { type = "string", required = true, positional = 1, example = "http://localhost/", documentation = "Where it is." },
      kind = { type = "string", values = { "big", "small" }, default = "big" },
      wait = { type = "duration", default = "1m", minimum = 1 },
      names = { type = "list", of = { type = "integer" }, default = { 1, 2 } },
      pin = { type = "string", secret = true },
    },
    idempotencyToken = "token",
    call = function() io.open("called", "w"):close() end,
    waitable = { ThingDone = { documentation = "Waits until it is done. Or not.", acceptors = done },
      ThingGone = { acceptors = done } },
  },
  Any = { call = function() end, waitable = { AnyThing = { acceptors = done } } },
}
]]

local page = [[
Waits for things.

They take a while.

Waiters:
  AnyThing              2 s to 2 m
  ThingDone             2 s to 2 m        Waits until it is done. (default)
  ThingGone             2 s to 2 m

Inputs of AnyThing:
  any: the recipe declares none

Inputs of ThingDone, ThingGone:
  url    string, required, word 1               Where it is.
  kind   string (big, small), default big
  names  list of integer, default 1,2
  pin    string, secret
  token  string                                 The idempotency token. Default: a new one for each wait.
  wait   duration, at least 1, default 60s

Example:
  bide run things.lua http://localhost/ --max-wait 1m

bide run --help lists the options.
]]

describe("what bide says about recipes:", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("things.lua", recipe)
    assert(uv.fs_mkdir(workspace.path .. "/path", 493))
    workspace:write("path/things.lua", recipe)
  end)

  local function run(...)
    return workspace:bide({ ... }, { env = { BIDE_PATH = "path" } })
  end

  local function trimmed(text) return (text:gsub("[ ]+\n", "\n"):gsub("  +", "  ")) end

  it("the page of a recipe", function()
    for _, words in ipairs {
      { "run", "things.lua", "--help" }, { "run", "things.lua", "ThingDone", "url=x", "-h" }, { "help", "things.lua" },
      { "run", "--max-wait", "50s", "things.lua", "--help" }, { "run", "things.lua", "--sandbox", "--help" },
    } do
      local done = run(table.unpack(words))
      assert.equal(0, done.code, done.stderr)
      assert.equal(trimmed(page), trimmed(done.stdout))
      assert.is_nil(io.open(workspace.path .. "/called"))
    end
    assert.equal(trimmed(page:gsub("things%.lua", "things")), trimmed(run("things", "--help").stdout))
  end)

  it("the help of bide run for a list of waits, which has no page", function()
    workspace:write("waits.json", '[{"recipe": "tcp", "input": {"host": "localhost:1"}}]')
    assert.matches("^Usage: bide run RECIPE", run("run", "waits.json", "--help").stdout)
    assert.equal("bide: waits.json is a list of waits, which takes no input\n", run("help", "waits.json").stderr)
  end)

  it("the page of every bundled recipe", function()
    for _, name in ipairs(require("bide.recipe.file.path").names()) do
      local done = run(name, "--help")
      assert.equal(0, done.code, done.stderr)
      assert.matches("^Waits until .*\nWaiters:\n.*\nInputs.*\nExample:\n  bide run " .. name, done.stdout)
    end
  end)

  ---Returns the titles of the sections of a help in their order, and how often each option is documented.
  local function sections_of(help)
    local titles, count = {}, {}
    for line in help:gmatch "[^\n]+" do
      titles[#titles + 1] = line:match "^(%u[%a ]+):$"
      local option = line:match "^   %-%w, (%-%-[%w-]+)" or line:match "^   (%-%-[%w-]+)"
      if option then count[option] = (count[option] or 0) + 1 end
    end
    return titles, count
  end

  it("the options of bide run in sections, each option once", function()
    local titles, count = sections_of(run("run", "--help").stdout)
    assert.same({ "Arguments", "Limits and delays", "Recipe and input", "Acceptors",
      "Service of a model", "Several waits", "While bide waits", "Running a command", "After a crash", "Store",
      "Report", "Network", "Recipes that are not trusted", "Other options", "Exit codes", "Example" }, titles)
    for option, times in pairs(count) do assert.equal(1, times, option) end
    for name in pairs(require("bide.cli.commands.run").new_parser().options) do
      assert.truthy(#name == 2 or count[name], name)
    end
  end)

  it("the names of an option at one column", function()
    local help = process.run({ process.bide, "convert", "--help" }).stdout
    assert.matches("\n   %-o FILE, +Write into FILE.-\n   %-%-output%-file FILE\n", help)
  end)

  it("few options without sections", function()
    assert.same({ "Arguments", "Options", "Example" }, (sections_of(run("show", "--help").stdout)))
  end)

  it("no line that is wider than 80 columns, or than the terminal", function()
    local function widest(text)
      local width = 0
      for line in text:gmatch "[^\r\n]+" do width = math.max(width, utf8.len(line)) end
      return width
    end
    for _, command in ipairs(require "bide.cli.commands") do
      local done = run(command, "--help")
      assert.is_true(command == "help" or done.code == 0 and widest(done.stdout) <= 80, done.stdout)
    end
    local narrow = workspace:shell [[script -qec 'stty rows 30 cols 60; "$BIDE" plan --help' /dev/null]]
    assert.is_true(widest(narrow.stdout:match "Arguments:(.*)Example:") <= 60)
    local wide = workspace:shell [[script -qec 'stty rows 30 cols 110; "$BIDE" plan --help' /dev/null]]
    assert.is_true(widest(wide.stdout) > 80 and widest(wide.stdout) <= 110)
  end)

  it("help for commands, and nothing else", function()
    assert.matches("^Usage: bide plan ", run("help", "plan").stdout)
    assert.matches("^bide polls", run("help").stdout)
    assert.matches("^bide %d", run("version").stdout)
    assert.matches("^Usage: bide run RECIPE", run("run", "--help").stdout)
    for _, words in ipairs { { "help", "pan", "plan" }, { "help", "no_such" }, { "help", "--all" } } do
      assert.equal(2, run(table.unpack(words)).code)
    end
  end)

  it("the inputs in a list", function()
    local done = run("list", "things.lua")
    assert.matches("\n  Inputs of ThingDone, ThingGone:\n    url +string, required, word 1 +Where it is%.\n", done.stdout)
    assert.not_matches("Inputs of AnyThing", done.stdout)
    done = run "list"
    local at = done.stdout:match "\n([^\n]*)DOCUMENTATION"
    for before in done.stdout:gmatch "\n(  %u[^\n]-)Waits" do assert.equal(#at, #before, before) end
    assert.matches("^RECIPE\n  WAITER +OPERATION +DELAYS +DOCUMENTATION\n", done.stdout)
    assert.not_matches("Inputs of", done.stdout)
  end)

  it("a list as JSON", function()
    local done = run("list", "things.lua", "tcp", "--output", "json")
    local list = bide.json.decode(done.stdout)
    assert.same({ "things.lua", "tcp" }, { list[1].recipe, list[2].recipe })
    local waiter = list[1].waiters[2]
    assert.same({ "ThingDone", "Get", true, 2, 120 },
      { waiter.name, waiter.operation, waiter.default, waiter.minDelay, waiter.maxDelay })
    assert.same({ type = "duration", default = 60, minimum = 1 }, waiter.inputs.wait)
    assert.is_nil(list[1].waiters[1].inputs)
    assert.is_true(#bide.json.decode(run("list", "--output", "json").stdout) > 15)
  end)

  describe("completion", function()
    local environment = { BIDE_PATH = "path", KUBECONFIG = "kubeconfig", AWS_CONFIG_FILE = "aws-config",
      AWS_SHARED_CREDENTIALS_FILE = "no-such-file" }

    setup(function()
      workspace:write("kubeconfig", "contexts:\n- name: staging\n  context: {cluster: a}\n- name: production\n")
      workspace:write("aws-config", "[default]\nregion = us-east-1\n[profile shop]\nregion = us-east-1\n")
    end)

    ---What bash would offer for a line.
    local function complete(line)
      local done = process.run({ "bash", "-c", [[
        PATH="$1:$PATH"
        eval "$(bide completion bash)"
        compopt() { :; }
        COMP_LINE=$2 COMP_POINT=${#2}
        _bide
        printf '%s\n' "${COMPREPLY[@]}"
      ]], "bash", uv.fs_realpath(process.bide):match "^(.*)/", line }, { cwd = workspace.path, env = environment })
      assert.equal("", done.stderr)
      local words = {}
      for word in done.stdout:gmatch "[^\n]+" do words[#words + 1] = word end
      return words
    end

    for line, words in pairs {
      ["bide pla"] = { "plan" },
      ["bide thi"] = { "things" },
      ["bide run thi"] = { "things" },
      ["bide run things Thing"] = { "ThingDone", "ThingGone" },
      ["bide things ThingDone u"] = { "url=" },
      ["bide things kind="] = { "big", "small" },
      ["bide things kind=s"] = { "small" },
      ["bide run tcp --max-wait 5s host=x + things Any"] = { "AnyThing" },
      ["bide run --max-wait 5s things Any"] = { "AnyThing" },
      ["bide things --max-w"] = { "--max-wait" },
      ["bide plan things --lat"] = { "--latency" },
      ["bide help pros"] = {},
      ["bide help prom"] = { "prometheus" },
      ["bide completion z"] = { "zsh" },
      ["bide run things -- Any"] = {},
      ["bide run ./things.lua Any"] = {},
      ["bide nothing at all"] = {},
      ["bide kubernetes --cont"] = { "--context" },
      ["bide kubernetes deployment/web --context "] = { "production", "staging" },
      ["bide kubernetes --context s"] = { "staging" },
      ["bide kubernetes --context=s"] = { "staging" },
      ["bide kubernetes context=p"] = { "production" },
      ["bide aws rds --profile "] = { "default", "shop" },
      ["bide run aws:rds --profile sh"] = { "shop" },
      ["bide http --output g"] = {},
      ["bide advise --aim s"] = { "sooner" },
      ["bide list --output m"] = { "markdown" },
      ["bide step thi"] = { "things" },
      ["bide step things kind=s"] = { "small" },
      ["bide step things --state-"] = { "--state-key" },
      ["bide submit things Any"] = { "AnyThing" },
      ["bide submit --ea"] = { "--each" },
      ["bide advise thi"] = { "things" },
      ["bide worker --allow"] = { "--allow-net" },
      ["bide connections po"] = { "port=" },
      ["bide store m"] = { "migrate" },
      ["bide journal "] = { "list", "show", "report", "prune" },
      ["bide jobs show 1 "] = {},
      ["bide jobs --state o"] = { "open" },
      ["bide run http --max-wait "] = {},
    } do
      it("of: " .. line, function() assert.same(words, complete(line)) end)
    end

    it("of an empty word", function()
      local words = complete "bide things "
      assert.same({ "AnyThing", "ThingDone", "url=" }, { words[1], words[2], words[3] })
    end)

    local function has(shell)
      return process.run({ "/bin/sh", "-c", "command -v " .. shell }, { tool = true }).code == 0
    end

    ---Runs a shell with bide in its path.
    local function in_shell(words)
      local env = { PATH = uv.fs_realpath(process.bide):match "^(.*)/" .. ":" .. os.getenv "PATH", HOME = workspace.path,
        TERM = "dumb", XDG_CONFIG_HOME = workspace.path, XDG_DATA_HOME = workspace.path }
      for name, value in pairs(environment) do env[name] = value end
      return process.run(words, { cwd = workspace.path, env = env, tool = true })
    end

    it("completes in fish itself", function()
      if not has "fish" then pending "fish is missing: install the package fish" end
      local function complete_in_fish(line)
        return in_shell({ "fish", "-c", "bide completion fish | source; complete -C $argv[1]", line }).stdout
      end
      assert.equal("staging\n", complete_in_fish "bide kubernetes --context s")
      assert.equal("kind=small\n", complete_in_fish "bide things kind=s")
      assert.equal("shop\n", complete_in_fish "bide aws rds --profile sh")
      assert.equal("migrate\n", complete_in_fish "bide store m")
      assert.equal("AnyThing\n", complete_in_fish "bide step things Any")
    end)

    it("completes in zsh itself", function()
      if not has "zsh" then pending "zsh is missing: install the package zsh" end
      ---Types a line and a tab into a zsh of its own, and returns what the line became.
      local function complete_in_zsh(line)
        return in_shell({ "zsh", "-f", "-c", [[
          zmodload zsh/zpty
          zpty shell zsh -f -i
          zpty -w shell 'unsetopt zle_bracketed_paste; PS1=; autoload -Uz compinit; compinit -u -d ./dump
            eval "$(bide completion zsh)"; show() { print -r -- "LINE<$BUFFER>"; zle kill-buffer }; zle -N show
            bindkey "^I" complete-word; bindkey "^X" show; print READY'
          zpty -r shell reply '*READY*READY*'
          zpty -n -w shell "$1"$'\t\x18'
          zpty -r shell reply '*LINE<*>*'
          print -r -- "${${reply##*LINE<}%%>*}"
        ]], "zsh", line }).stdout
      end
      assert.equal("bide kubernetes --context staging \n", complete_in_zsh "bide kubernetes --context s")
      assert.equal("bide things kind=small \n", complete_in_zsh "bide things kind=s")
      assert.equal("bide aws rds --profile shop \n", complete_in_zsh "bide aws rds --profile s")
      assert.equal("bide store migrate \n", complete_in_zsh "bide store m")
      assert.equal("bide worker --allow-net \n", complete_in_zsh "bide worker --al")
    end)

    it("is printed for three shells", function()
      for _, shell in ipairs { "bash", "zsh", "fish" } do
        run("completion", shell):prints(0, "completion words -- ")
      end
      assert.equal(2, run("completion", "csh").code)
    end)
  end)
end)
