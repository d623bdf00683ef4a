---`bide doctor`: what this machine has, and what follows.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local process = require "spec.support.process"

describe("bide doctor", function()
  local workspace = Workspace.of_block()

  ---Returns the findings by their names, and the exit code.
  local function look(env, ...)
    local done = workspace:bide({ "doctor", "--output", "json", ... }, { env = env })
    local findings = {}
    for _, finding in ipairs(assert(json.decode(done.stdout), done.stderr)) do findings[finding.name] = finding end
    return findings, done.code
  end

  it("finds nothing wrong where authorities are known", function()
    workspace:write("ca.pem", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n")
    local findings, code = look { CURL_CA_BUNDLE = workspace.path .. "/ca.pem" }
    assert.equal(0, code)
    assert.matches("^1 certificates? in ", findings.authorities.found)
    for _, name in ipairs { "bide 0", "libcurl/", "SQLite/", "lua-cjson/" } do
      assert.matches(name, findings.libraries.found, 1, true)
    end
    assert.equal("fine", findings.clock.state)
    assert.equal("none", findings.proxies.found)
  end)

  it("says of the walls what --sandbox=strict says", function()
    if process.is_sanitized then return end -- the leak sanitizer does not work behind walls
    local strict = workspace:bide { "query", "--sandbox=strict", "`1`" , "/dev/null" }
    local has_walls = not strict.stderr:find("this kernel lacks", 1, true)
    assert.equal(has_walls and "fine" or "note", look({}).sandbox.state)
  end)

  it("asks the resolver for names, and fails for one that is not there", function()
    local findings, code = look({}, "127.0.0.1", "nothing.invalid")
    assert.equal("is an address", findings["name 127.0.0.1"].found)
    assert.equal("problem", findings["name nothing.invalid"].state)
    assert.equal(1, code)
  end)

  it("names files of variables that cannot be used", function()
    local findings, code = look { CURL_CA_BUNDLE = "/nowhere/ca.pem", KUBECONFIG = "/nowhere/config",
      BIDE_PATH = "/:/nowhere/recipes", BIDE_MAX_WAIT = "soon" }
    assert.equal(1, code)
    assert.equal("problem", findings.authorities.state)
    assert.equal("/nowhere/recipes is not there", findings.BIDE_PATH.found)
    assert.equal("problem", findings.KUBECONFIG.state)
    assert.matches('found "soon"', findings.BIDE_MAX_WAIT.found, 1, true)
  end)

  it("shows proxies without their passwords", function()
    local findings = look { https_proxy = "http://me:hunter2@proxy.example:3128", NO_PROXY = "localhost" }
    assert.equal("https_proxy=http://…@proxy.example:3128 NO_PROXY=localhost", findings.proxies.found)
  end)

  it("finds that a file of authorities has none", function()
    workspace:write("none.pem", ("no line break"):rep(100000))
    local findings = look { CURL_CA_BUNDLE = workspace.path .. "/none.pem" }
    assert.matches("none.pem: no certificate in it", findings.authorities.found, 1, true)
  end)

  it("prints a line for each, with what follows below it", function()
    local done = workspace:bide({ "doctor" }, { env = { CURL_CA_BUNDLE = "/nowhere/ca.pem" } })
    assert.matches("\n! authorities +CURL_CA_BUNDLE: /nowhere/ca.pem: .-\n +→ certificates are refused: unset CURL_CA_BUNDLE\n",
      done.stdout)
  end)

  it("refuses an unknown format", function()
    assert.equal(2, workspace:bide({ "doctor", "--output", "yaml" }).code)
  end)
end)
