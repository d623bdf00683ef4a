---Memory that libssl lacked was reported as a wrong certificate, so that a wait for a certificate to be wrong succeeded;
---libcrypto crashed where it lacked memory at its first use, as by a journal.

local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local allocations = require "spec.support.allocations"
local make_certificates = require "spec.support.certificates"

describe("memory that libssl lacks", function()
  local workspace = Workspace.of_each()

  ---Fails one allocation, and expects that bide says so.
  local function assert_no_memory(words, number)
    local done, report = allocations.run(workspace, words, "crypto", number)
    assert.same({ 70, "", "" }, { done.code, done.stdout, report.crashed_at }, done.stderr .. report.failed_at)
    assert.matches("not enough memory", done.stderr, 1, true)
  end

  it("is neither a wrong certificate nor a good one", function()
    if allocations.lack then return pending(allocations.lack) end
    make_certificates(workspace)
    local server = TlsServer.start(workspace, { "-cert", "server.pem", "-key", "server.key", "-quiet" })
    finally(function() server:close() end)
    local words = { "run", "tls", "CertificateInvalid", "localhost:" .. server.port, "ca=ca.pem", "--max-wait", "30s",
      "--max-attempts", "1", "--quiet" }
    local _, report = allocations.run(workspace, words, "crypto", 0)
    assert.is_true(report.counted > 3000, report.counted)
    for number = 1, report.counted, report.counted // 25 do assert_no_memory(words, number) end
  end)

  it("is no crash in the digest of a journal", function()
    if allocations.lack then return pending(allocations.lack) end
    local words = { "run", "file", "path=/", "--journal", "waits.db", "--max-wait", "30s", "--quiet" }
    local _, report = allocations.run(workspace, words, "crypto", 0)
    assert.is_true(report.counted > 1000, report.counted)
    for number = 1, 12 do assert_no_memory(words, number) end
  end)
end)
