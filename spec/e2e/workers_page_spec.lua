---The examples of docs/workers.md that need a database: their lines run in a shell, over a real one.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local luv = require "luv"
local service = require "spec.support.service"

---The indented blocks of the page.
local blocks = {}
do
  local page <close> = assert(io.open "docs/workers.md")
  for block in page:read "a":gmatch "\n\n(    [^\n]*\n[%s%S]-)\n%f[^\n ]" do
    for part in (block .. "\n\n"):gmatch "(    .-\n)\n" do blocks[#blocks + 1] = (part:gsub("^    ", ""):gsub("\n    ", "\n")) end
  end
end

---@return string
local function block_with(text)
  for _, block in ipairs(blocks) do
    if block:find(text, 1, true) then return block end
  end
  error("docs/workers.md has no block with " .. text)
end

describe("docs/workers.md", function()
  local cluster = Cluster.installed()
  if not cluster then return end

  local function url(role) return cluster:url(role) end

  local workspace = Workspace.of_each()
  local server, asked, worker

  setup(function() cluster:admin("CREATE ROLE app LOGIN; CREATE ROLE worker LOGIN") end)

  before_each(function()
    asked = nil
    server = Server.start(function(request)
      asked = request
      return { headers = { ["Content-Type"] = "application/json" }, body = '{"state":"done","done":true}' }
    end)
    for role, right in pairs { app = "--submit", worker = "--work" } do
      workspace:bide({ "store", "grant", role, right, "--store", cluster:url "postgres" }):ends(0)
    end
  end)
  after_each(function() server:close() end)

  ---Runs the lines of a block in a shell; the last one is that of a worker, which goes on. Returns what they print.
  local function run(block)
    local place = "127.0.0.1:" .. server.port
    block = block:gsub("postgres://(%a+)@db/waits", url):gsub("https://api.example.com", "http://" .. place)
      :gsub("/etc/bide/secrets", "secrets"):gsub("\\\n%s*", ""):gsub("%f[%a]bide ", "$BIDE ")
    local lines, last = block:match "^(.*\n)([^\n]+)\n$"
    local done = workspace:shell("set -e\n" .. lines)
    assert.equal(0, done.code, done.stderr)
    local words = {}
    for word in last:match "^%$BIDE (.*)$":gmatch "%S+" do words[#words + 1] = word end
    if not last:find "%-%-trusted" then words[#words + 1] = "--allow-net=127.0.0.1" end
    worker = workspace:start(words)
    return done.stdout
  end

  ---Expects that the run whose number was printed last succeeds.
  local function assert_success(printed)
    local done = workspace:bide { "watch", assert(printed:match "(%d+)\n$"), "--store", cluster:url "app", "--quiet" }
    assert.same({ 0, 0 }, { done.code, done.signal }, done.stderr .. worker.stderr)
  end

  it("signs a recipe for workers that trust its signer", function()
    local program, lack = service.find("ssh-keygen", "openssh-client")
    if not program then return pending(lack) end
    workspace:write("check.lua", [[
return { Check = { call = function() return { home = os.getenv "HOME" } end, waitable = {
  HasHome = { acceptors = { { state = "success", matcher = { success = true } } } },
} } }]])
    assert_success(run(block_with "ssh-keygen"))
  end)

  it("fills in a secret where its grant lets it go", function()
    local grant = block_with "api-token.grant"
    assert(luv.fs_mkdir(workspace.path .. "/secrets", 448))
    workspace:write("secrets/api-token", "a secret of eight bytes")
    workspace:write("secrets/api-token.grant", (grant:gsub("api.example.com:443", "127.0.0.1:" .. server.port)))
    for _, name in ipairs { "api-token", "api-token.grant" } do
      assert(luv.fs_chmod(workspace.path .. "/secrets/" .. name, 384))
    end
    assert_success(run(block_with "--secrets"))
    assert.equal("Bearer a secret of eight bytes", asked.headers.authorization)
    assert.equal("/jobs/7", asked.path)
  end)

  it("has examples, of which spec/e2e/store_cells_spec.lua runs one", function() assert.equal(4, #blocks) end)
end)
