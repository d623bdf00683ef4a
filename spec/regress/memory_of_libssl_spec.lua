---Memory that libssl lacked was reported as a wrong certificate, so that a wait for a certificate to be wrong succeeded.

local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local allocations = require "spec.support.allocations"
local make_certificates = require "spec.support.certificates"
local process = require "spec.support.process"

describe("memory that libssl lacks", function()
  it("is neither a wrong certificate nor a good one", function()
    if process.is_sanitized then return end -- which the preloaded library would have to come before
    local workspace = Workspace.make()
    finally(function() workspace:remove() end)
    make_certificates(workspace)
    local server = TlsServer.start(workspace, { "-cert", "server.pem", "-key", "server.key", "-quiet" })
    finally(function() server:stop() end)
    local words = { "run", "tls", "CertificateInvalid", "localhost:" .. server.port, "ca=ca.pem", "--max-wait", "150ms",
      "--max-attempts", "1", "--quiet" }
    local _, report = allocations.run(workspace, words, "crypto", 0)
    assert.is_true(report.counted > 3000, report.counted)
    local codes, count = {}, 0
    for number = 200, report.counted, report.counted // 40 do
      local done, of_run = allocations.run(workspace, words, "crypto", number)
      local code = of_run.crashed_at ~= "" and "crash" or done.code
      codes[code], count = (codes[code] or 0) + 1, count + 1
      assert.is_true(code ~= 0 and code ~= 1, done.stdout .. done.stderr .. of_run.failed_at)
    end
    assert.is_true((codes[70] or 0) > count // 2, require("bide.core").json.encode(codes))
  end)
end)
