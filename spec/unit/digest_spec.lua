local digest = require "bide.digest"
local exclusive_or = require "bide.probe.peer.exclusive_or"
local pbkdf2 = require "bide.probe.peer.pbkdf2"
local uv = require "luv"

local hex = require("bide.core").text.hex

describe("SHA-256", function()
  for _, case in ipairs { -- FIPS 180-4's examples; the last ones go over the edge of a block
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { ("a"):rep(1000000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
  } do
    it("of " .. #case[1] .. " bytes", function() assert.equal(case[2], hex(digest.sha256(case[1]))) end)
  end

  it("is the openssl program's, of every length up to some blocks", function()
    local process = require "spec.support.process"
    for _, length in ipairs { 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129 } do
      local text = ("xy\0z"):rep(40):sub(1, length)
      local done = process.run({ "openssl", "dgst", "-sha256", "-r" }, { stdin = text, tool = true })
      assert.equal(done.stdout:match("^%x+"), hex(digest.sha256(text)), length)
    end
  end)
end)

describe("HMAC-SHA-256", function()
  for name, case in pairs { -- RFC 4231
    ["of a short key"] = { ("\x0b"):rep(20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
    ["of a text"] = { "Jefe", "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
    ["of a key that is longer than a block"] = { ("\xaa"):rep(131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
  } do
    it(name, function() assert.equal(case[3], hex(digest.hmac(case[1], case[2]))) end)
  end

  it("is what libcrypto makes as well, whatever the length of the key", function()
    local block = digest.sha256 "a block"
    for _, length in ipairs { 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000 } do
      local key = ("k\0y"):rep(400):sub(1, length)
      assert.equal(hex((digest.hmac_chain(key, block, 1))), hex(digest.hmac(key, block)), length)
    end
  end)
end)

describe("PBKDF2", function()
  for iterations, wanted in pairs { -- RFC 7914, section 11, the first block; and as openssl has it
    [1] = "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b",
    [2] = "ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43",
    [4096] = "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a",
  } do
    it("of " .. iterations, function() assert.equal(wanted, hex(pbkdf2("password", "salt", iterations))) end)
  end

  it("of as many iterations as a server may ask for does not hold the loop", function()
    local turns = 0
    local ticker = uv.new_timer()
    ticker:start(1, 1, function() turns = turns + 1 end)
    assert.equal(32, #pbkdf2("password", "salt", 200000))
    ticker:close()
    uv.run "nowait"
    assert.is_true(turns > 20)
  end)

  it("is a chain of HMACs, none of which takes long", function()
    local first = digest.hmac("k", ("x"):rep(32))
    local second = digest.hmac("k", first)
    assert.same({ second, exclusive_or(first, second) }, { digest.hmac_chain("k", ("x"):rep(32), 2) })
    assert.same({ ("x"):rep(32), ("\0"):rep(32) }, { digest.hmac_chain("k", ("x"):rep(32), 0) })
    assert.equal(32, #digest.hmac_chain("", ("x"):rep(32), 1))
    for _, wrong in ipairs { { "k", "short", 1 }, { "k", ("x"):rep(32), -1 }, { "k", ("x"):rep(32), 4097 }, {} } do
      assert.has_error(function() digest.hmac_chain(table.unpack(wrong)) end)
    end
  end)
end)

describe("a libcrypto that is configured for FIPS", function()
  local Directory = require "spec.support.directory"
  local process = require "spec.support.process"

  it("makes each digest by a provider, or none", function()
    local directory = Directory.make()
    local configuration = directory:write("openssl.cnf", "openssl_conf = start\n[start]\nalg_section = algorithms\n"
      .. "[algorithms]\ndefault_properties = fips=yes\n")
    for _, call in ipairs { "sha256 ''", "of('', 'sha256')", "hmac('key', 'bytes')", "sha1 ''" } do
      local script = directory:write("script.lua", ("print(pcall(function() return require('bide.digest').%s end))"):format(call))
      local done = process.run({ process.bide, "exec", script }, { env = { OPENSSL_CONF = configuration } })
      assert.matches("^false\t.*libcrypto does not make this digest\n", done.stdout .. done.stderr, call)
    end
    directory:remove()
  end)
end)
