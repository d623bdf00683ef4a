---bide.tls against openssl's server, and against peers that do wrong.

local bide = require "bide"
local tls = require "bide.tls"
local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"
local process = require "spec.support.process"

describe("bide.tls", function()
  local directory = Directory.of_block()
  local ca, server
  local peers = {}

  setup(function()
    certificates(directory)
    ca = directory.path .. "/ca.pem"
  end)

  TlsServer.close_after_each()
  after_each(function()
    for _, peer in ipairs(peers) do peer:close() end
    peers = {}
    collectgarbage()
    assert.is_nil(leftovers.find())
  end)

  ---Starts openssl's server with the certificate of that name.
  local function serve(name, ...)
    server = TlsServer.start(directory, { "-cert", name .. ".pem", "-key", name .. ".key", ... })
    return "localhost:" .. server.port
  end

  local function file(name) return directory.path .. "/" .. name end

  local function refusal(where, options)
    local failure = failure_of(tls.connect, where, options)
    assert.equal("TlsFailure", failure.type)
    return failure.message
  end

  describe("connects", function()
    it("and exchanges texts, of many records too", function()
      local where = serve("server", "-quiet")
      local connection <close> = tls.connect(where, { ca = ca })
      connection:send "hello\n"
      server:await "hello\n"
      server:say "one\ntwo\r\nthree"
      assert.equal("one", connection:read_line())
      assert.equal("two", connection:read_line())
      assert.equal("th", connection:read(2))
      assert.equal("ree", connection:read_until "e")
      connection:send(("x"):rep(100000) .. "\nend\n")
      server:await "x\nend\n"
      server:say(("y"):rep(60000) .. "\n")
      assert.equal(60000, #connection:read_line())
    end)

    it("and shows the peer's certificate, its chain, and what was agreed on", function()
      local where = serve("server", "-CAfile", "ca.pem", "-alpn", "two", "-cert_chain", "ca.pem")
      local connection <close> = tls.connect(where, { ca = ca, alpn = { "one", "two" } })
      local peer = assert(connection:peer())
      assert.equal("CN=server", peer.subject)
      assert.equal("CN=bide spec authority", peer.issuer)
      assert.same({ "localhost", "client.localhost", "127.0.0.1" }, peer.names)
      assert.matches("^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%dZ$", peer.not_before)
      assert.is_true(peer.not_before < peer.not_after)
      assert.is_true(peer.days_left == 1 or peer.days_left == 2)
      local printed = process.run({ "openssl", "x509", "-in", "server.pem", "-noout", "-fingerprint", "-sha256" },
        { cwd = directory.path, tool = true }).stdout
      assert.equal(printed:match "=(%S+)", peer.fingerprint)
      assert.same({ "TLSv1.3", "two" }, { peer.version, peer.alpn })
      assert.matches("^TLS_", peer.cipher)
      assert.same({ "CN=server", "CN=bide spec authority" }, { peer.chain[1].subject, peer.chain[2].subject })
    end)

    it("by TLS 1.2, and by no earlier version", function()
      local where = serve("server", "-tls1_2")
      do
        local connection <close> = tls.connect(where, { ca = ca })
        assert.equal("TLSv1.2", connection:peer().version)
        assert.is_nil(connection:peer().alpn)
      end
      server:close()
      where = serve("server", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
      assert.matches("alert protocol version", refusal(where, { ca = ca }))
    end)

    it("to an address that is in the certificate, or by another name", function()
      serve "server"
      tls.connect({ host = "127.0.0.1", port = server.port }, { ca = ca }):close()
      tls.connect({ host = "127.0.0.1", port = tostring(server.port) }, { ca = ca, host = "client.localhost." }):close()
    end)

    it("and names the host it wants (SNI)", function()
      local where = serve("server", "-servername", "two.localhost", "-cert2", "client.pem", "-key2", "client.key")
      local connection <close> = tls.connect(where, { ca = ca, host = "two.localhost", verify = "authority" })
      assert.equal("CN=client", connection:peer().subject)
    end)

    it("and shows its own certificate, whose key may have a password", function()
      local where = serve("server", "-CAfile", "ca.pem", "-Verify", "1", "-verify_return_error", "-quiet")
      local connection = tls.connect(where, { ca = ca, certificate = file "client.pem", key = file "client.key" })
      server:say "hello\n"
      assert.equal("hello", connection:read_line())
      connection:close()
      local made = process.run({ "sh", "-c",
        "openssl ec -in client.key -aes128 -passout pass:sesame -out locked.key && cat client.pem locked.key >locked.pem" },
        { cwd = directory.path, tool = true })
      assert.equal(0, made.code, made.stderr)
      local options = { ca = ca, certificate = file "locked.pem", key_password = "other password" }
      local message = refusal(where, options)
      assert.matches("the key of the client's certificate: ", message)
      assert.not_matches("other password", message)
      options.key_password = nil
      assert.matches("the key of the client's certificate: ", refusal(where, options))
      options.key_password = "sesame"
      tls.connect(where, options):close()
    end)

    it("and says where a certificate of the client is required", function()
      local where = serve("server", "-CAfile", "ca.pem", "-Verify", "1", "-verify_return_error", "-quiet")
      local failure = failure_of(function()
        local connection <close> = tls.connect(where, { ca = ca })
        connection:send "hello\n"
        connection:read_line()
      end)
      assert.equal("TlsFailure", failure.type)
      assert.matches("alert certificate required", failure.message)
    end)
  end)

  describe("refuses", function()
    ---Returns the message and the problem for a server with a wrong certificate.
    local function wrong(name, wanted, host)
      certificates.sign(directory, name, wanted)
      local where = serve(name)
      local failure = failure_of(tls.connect, host and { host = host, port = server.port } or where, { ca = ca })
      assert.equal("TlsFailure", failure.type)
      return failure.problem .. ": " .. failure.message
    end

    it("a certificate that has expired", function()
      assert.matches("^expired: no TLS connection with localhost:%d+ %(127.0.0.1:%d+%): the certificate of CN=old expired on "
        .. "2021%-01%-01T00:00:00Z %(certificate has expired%)$", wrong("old", { to = "20210101000000Z" }))
    end)

    it("one that is not valid yet", function()
      assert.matches("^notYetValid: .*the certificate of CN=young is valid only from 2039%-01%-01T00:00:00Z on",
        wrong("young", { from = "20390101000000Z" }))
    end)

    it("one for other hosts, of which it names five", function()
      local names = "subjectAltName=DNS:a.example,DNS:b.example,DNS:c.example,DNS:d.example,DNS:e.example,DNS:f.example\n"
      assert.matches("^host: .*the certificate of CN=other: expected one for localhost, "
        .. "found one for a.example, b.example, c.example, d.example, e.example and 1 more",
        wrong("other", { extensions = names }))
    end)

    it("one for another address", function()
      assert.matches("^host: .*expected one for 127.0.0.1, found one for 127.0.0.2, ::1",
        wrong("place", { extensions = "subjectAltName=IP:127.0.0.2,IP:::1\n" }, "127.0.0.1"))
    end)

    it("one whose name has a part in place of which the certificate has a star", function()
      assert.matches("found one for lo%*", wrong("star", { extensions = "subjectAltName=DNS:lo*\n" }))
    end)

    it("one that was issued for another use", function()
      assert.matches("^purpose: .*the certificate of CN=reader is not one for servers", wrong("reader",
        { extensions = "subjectAltName=DNS:localhost\nextendedKeyUsage=clientAuth\n" }))
    end)

    it("one that signed itself, or that an unknown authority has signed", function()
      certificates.sign_itself(directory, "proud")
      local where = serve "proud"
      assert.matches("CN=proud, issued by CN=proud, has no authority that is trusted %(self%-signed certificate%)",
        refusal(where, { ca = ca }))
      server:close()
      where = serve "server"
      assert.matches("CN=server, issued by CN=bide spec authority, has no authority that is trusted",
        refusal(where, { ca = file "proud.pem" }))
      assert.matches("has no authority that is trusted", refusal(where))
    end)

    it("not one that was given as trusted itself", function()
      local where = serve "server"
      tls.connect(where, { ca = file "server.pem" }):close()
      assert.matches("expected one for elsewhere", refusal(where, { ca = file "server.pem", host = "elsewhere" }))
    end)

    it("a certificate of an authority that may be none", function()
      certificates.sign(directory, "middle", {})
      local made = process.run({ "sh", "-c", [[
        printf "subjectAltName=DNS:localhost\n" >leaf.ext &&
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=leaf -keyout leaf.key -out leaf.csr &&
        openssl x509 -req -in leaf.csr -CA middle.pem -CAkey middle.key -CAcreateserial -days 2 -extfile leaf.ext \
          -out leaf.pem]] },
        { cwd = directory.path, tool = true })
      assert.equal(0, made.code, made.stderr)
      local where = serve("leaf", "-cert_chain", "middle.pem")
      assert.matches("the certificate of CN=middle is not valid: invalid CA certificate", refusal(where, { ca = ca }))
    end)

    it("none of them if it is told to, and a wrong host if it is told only that", function()
      certificates.sign(directory, "old", { to = "20210101000000Z" })
      local where = serve "old"
      do
        local connection <close> = tls.connect(where, { verify = false })
        assert.is_true(connection:peer().days_left < -365)
      end
      assert.matches("expired", refusal(where, { ca = ca, verify = "authority" }))
      server:close()
      local place = serve "server"
      assert.matches("expected one for elsewhere.localhost", refusal(place, { ca = ca, host = "elsewhere.localhost" }))
      tls.connect(place, { ca = ca, host = "elsewhere.localhost", verify = "authority" }):close()
    end)

    it("files that are missing, or that are not what they should be", function()
      local where = serve "server"
      assert.matches("certificates of authorities: ENOENT.*/nowhere.pem", refusal(where, { ca = "/nowhere.pem" }))
      assert.matches("certificates of authorities in .*/server.key: no start line", refusal(where, { ca = file "server.key" }))
      assert.matches("certificates of authorities: EISDIR", refusal(where, { ca = directory.path }))
      assert.matches("the client's certificate: ENOENT", refusal(where, { ca = ca, certificate = "/nowhere.pem" }))
      assert.matches("the client's certificate: no start line", refusal(where,
        { ca = ca, certificate = file "client.key", key = file "client.key" }))
      assert.matches("the key of the client's certificate: key values mismatch", refusal(where,
        { ca = ca, certificate = file "client.pem", key = file "server.key" }))
    end)
  end)

  describe("of a peer", function()
    local function answer_with(f)
      peers[#peers + 1] = Server.start(nil, { raw = f })
      return { host = "127.0.0.1", port = peers[#peers].port }
    end

    it("that speaks plain text is refused", function()
      for _, text in ipairs { "HTTP/1.1 400 Bad Request\r\n\r\n", "-ERR unknown command\r\n", "SSH-2.0-OpenSSH_9.2\r\n" } do
        local where = answer_with(function(peer) peer:write(text) end)
        assert.matches("the answer is not TLS %(wrong version number%)", refusal(where))
      end
    end)

    it("that closes or resets within the handshake is a lost connection", function()
      for _, how in ipairs { "finish", "reset" } do
        local failure = failure_of(tls.connect, answer_with(function(peer) peer[how](peer) end))
        assert.equal("ConnectionReset", failure.type)
        assert.matches("it ended within the TLS handshake", failure.message)
      end
    end)

    it("that hangs, before the handshake or within a record, is out of time", function()
      for _, text in ipairs { "", "\22\3\3", "\22\3\3\0\200\2" } do
        local where = answer_with(function(peer) peer:write(text) end)
        local failure = failure_of(tls.connect, where, { timeout = 0.1 })
        assert.equal("RequestTimeout", failure.type)
        assert.matches("the TLS handshake did not end", failure.message)
      end
    end)

    it("that never ends to send is out of time, or refused", function()
      local where = answer_with(function(peer)
        peer:later(0.001, function() peer:write("\21\3\3\0\2\1\100") end, true) -- warnings
      end)
      assert.equal("TlsFailure", failure_of(tls.connect, where, { timeout = 5 }).type)
    end)

    it("whose record is too long is refused", function()
      local where = answer_with(function(peer) peer:write("\22\3\3\255\255" .. ("x"):rep(70000)) end)
      assert.matches("a record is too long", refusal(where))
    end)

    it("whose message of the handshake is too long is refused", function()
      local where = answer_with(function(peer)
        peer:write(("\22\3\3\64\0" .. "\2\255\255\255" .. ("x"):rep(16380)):rep(64))
      end)
      assert.matches("excessive message size", refusal(where))
    end)

    it("that asks for a renegotiation gets none", function()
      local where = serve("server", "-tls1_2")
      local failure = failure_of(function()
        local connection <close> = tls.connect(where, { ca = ca, timeout = 5 })
        server:say "R\n"
        connection:read(1)
      end)
      assert.equal("TlsFailure", failure.type)
      server:await "no renegotiation"
    end)

    it("that ends without saying so is a lost connection, and otherwise the end of the answer", function()
      local where = serve("server", "-quiet")
      local connection = tls.connect(where, { ca = ca })
      server:say "begi"
      assert.equal("beg", connection:read(3))
      server:close "sigkill"
      local failure = failure_of(connection.read_line, connection)
      assert.equal("ConnectionReset", failure.type)
      assert.matches("it ended without an end of TLS %(close_notify%)", failure.message)
      connection:close()
      where = serve("server", "-www")
      connection = tls.connect(where, { ca = ca })
      connection:send "GET / HTTP/1.0\r\n\r\n"
      connection:read_until "</BODY></HTML>"
      failure = failure_of(connection.read_until, connection, "</BODY></HTML>")
      assert.equal("UnexpectedAnswer", failure.type)
      connection:close()
    end)

    it("that sends more than is kept is stopped", function()
      local where = serve("server", "-quiet")
      local connection <close> = tls.connect(where, { ca = ca })
      server:say(("z"):rep(30000))
      connection:send "hello\n"
      server:await "hello"
      server:say(("z"):rep(30000))
      server:say(("z"):rep(30000))
      local failure = failure_of(connection.read_line, connection)
      assert.equal("UnexpectedAnswer", failure.type)
    end)
  end)

  describe("start", function()
    it("hands the connection of a dialogue over", function()
      serve("server", "-quiet")
      local result = bide.tcp { host = "localhost", port = server.port, talk = function(dialogue)
        assert.is_nil(dialogue:peer())
        assert.equal(dialogue, tls.start(dialogue, { ca = ca }))
        dialogue:send "hello\n"
        server:await "hello\n"
        server:say "welcome\n"
        return dialogue:read_line() .. dialogue:peer().subject
      end }
      assert.equal("welcomeCN=server", result.answer)
    end)

    it("refuses what came before it, which was not protected", function()
      local peer = Server.start(nil, { raw = function(peer) peer:write "220 go ahead\r\n250 injected\r\n" end })
      peers[1] = peer
      local failure = failure_of(bide.tcp, { host = "127.0.0.1", port = peer.port, talk = function(dialogue)
        dialogue:send "STARTTLS\r\n"
        dialogue:read_line()
        tls.start(dialogue)
      end })
      assert.equal("UnexpectedAnswer", failure.type)
      assert.matches('expected nothing before TLS, found "250 injected', failure.message)
    end)

    it("leaves nothing in clear behind a handshake that failed", function()
      local heard = ""
      local peer = Server.start(nil, { raw = function(peer, bytes)
        heard = heard .. bytes
        peer:write "HTTP/1.1 400 Bad Request\r\n\r\n"
      end })
      peers[1] = peer
      local failure = failure_of(bide.tcp, { host = "127.0.0.1", port = peer.port, talk = function(dialogue)
        pcall(tls.start, dialogue)
        dialogue:send "the password"
      end })
      assert.equal("ConnectionFailed", failure.type)
      assert.not_matches("the password", heard)
    end)

    it("is for dialogues, and asks for the host over a Unix socket", function()
      assert.has_error(function() tls.start({}) end,
        "bide.tls.start: expected a dialogue of bide.tcp or bide.unix, found a table")
      local path = directory.path .. "/socket"
      local peer = Server.start(nil, { unix_socket = path, raw = function(peer) peer:finish() end })
      peers[1] = peer
      assert.has_error(function() bide.unix { path = path, talk = function(dialogue) tls.start(dialogue) end } end,
        "bide.tls.start: host: expected a string, found nothing")
    end)
  end)

  it("is used as it says", function()
    assert.has_error(function() tls.connect("db:1", { vrify = true }) end,
      'bide.tls.connect: vrify: unknown option, did you mean "verify"?')
    assert.has_error(function() tls.connect("db:1", { verify = "host" }) end,
      'bide.tls.connect: verify: expected true, false or "authority", found "host"')
    assert.has_error(function() tls.connect("db:1", { alpn = {} }) end,
      "bide.tls.connect: alpn: expected a list of texts, of 1 to 255 bytes each, found a table")
    assert.has_error(function() tls.connect("db:1", { key = "x" }) end,
      "bide.tls.connect: key: expected a certificate with it, found none")
    assert.equal("InvalidAddress", failure_of(tls.connect, "db:one").type)
    assert.matches("^connection refused by %[::1%]:1", failure_of(tls.connect, "[::1]:1").message)
    assert.equal("NameNotResolved", failure_of(tls.connect, "no-such-host.invalid:1").type)
  end)

  it("closes what is dropped, and what a deadline cuts", function()
    local where = serve("server", "-quiet")
    local before = leftovers.descriptors()
    tls.connect(where, { ca = ca })
    collectgarbage()
    collectgarbage()
    local connection = tls.connect(where, { ca = ca })
    connection:close()
    connection:close()
    assert.has_error(function() connection:send "x" end, "bide.tls: the connection is closed")
    assert.has_error(function() bide.timeout(0.05, function()
      local cut <close> = tls.connect(where, { ca = ca })
      cut:read_line()
    end) end)
    leftovers.find()
    assert.equal(before, leftovers.descriptors())
  end)

  it("trusts the authorities of the environment, and reads no file that a sandboxed script names", function()
    local workspace = Workspace.make()
    finally(function() workspace:remove() end)
    local where = serve "server"
    workspace:write("script.lua", [[
      local tls = require "bide.tls"
      local ok, answer = pcall(tls.connect, ...)
      print(ok and answer:peer().subject or type(answer) == "table" and answer.type or answer)
    ]])
    local function answer_in(env, ...)
      for _, name in ipairs { "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR" } do env[name] = env[name] or false end
      return workspace:bide({ "exec", ... }, { env = env }).stdout
    end
    assert.equal("TlsFailure\n", answer_in({}, "script.lua", where))
    assert.equal("CN=server\n", answer_in({ CURL_CA_BUNDLE = ca }, "script.lua", where))
    assert.equal("CN=server\n", answer_in({ SSL_CERT_FILE = ca }, "script.lua", where))
    assert.equal("TlsFailure\n", answer_in({ CURL_CA_BUNDLE = file "client.pem", SSL_CERT_FILE = ca }, "script.lua", where))
    assert(process.run({ "sh", "-c", "mkdir -p folder && cp ca.pem folder && openssl rehash folder" },
      { cwd = directory.path, tool = true }).code == 0)
    assert.equal("CN=server\n", answer_in({ SSL_CERT_DIR = "/nowhere:" .. file "folder" }, "script.lua", where))
    assert.equal("CN=server\n", answer_in({ SSL_CERT_DIR = file "folder" }, "--sandbox", "script.lua", where))
    assert.equal("CN=server\n", answer_in({ CURL_CA_BUNDLE = ca }, "--sandbox", "script.lua", where))
    workspace:write("named.lua", ('require "bide.tls".connect(%q, { ca = %q })'):format(where, ca))
    local done = workspace:bide { "exec", "--sandbox", "named.lua" }
    assert.matches("ca: not for sandboxed scripts, since it names a file", done.stderr)
  end)
end)
