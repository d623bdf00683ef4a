---Signature Version 4: AWS's own suite, signatures by botocore, and cases that need neither.

local aws_cases = require "spec.support.aws.cases"
local core = require "bide.core"
local data = require "spec.support.data"
local digest = require "bide.digest"
local sigv4 = require "bide.aws.sigv4"

local example = { access_key = "AKIDEXAMPLE", secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }
local scope = { region = "us-east-1", service = "service" }
local TIME = 1440938160 -- 2015-08-30T12:36:00Z

local function sign(changes, credentials, place)
  local request = { method = "GET", url = "https://example.amazonaws.com/", time = TIME }
  for name, value in pairs(changes or {}) do request[name] = value end
  return sigv4.sign(request, credentials or example, place or scope)
end

local function signature(...) return sign(...).Authorization:match "Signature=(%x+)$" end

local function signed(...) return sign(...).Authorization:match "SignedHeaders=([^,]+)" end

---Runs a spec for each line of a file of the data.
local function each_line(name, run)
  local text = data.read(name)
  if not text then return pending(name .. " " .. data.unpacked_hint) end
  local count = 0
  for line in text:gmatch "[^\n]+" do
    run(assert(core.json.decode(line)))
    count = count + 1
  end
  return count
end

describe("a signature", function()
  it("is that of AWS's first example", function()
    assert.same({
      ["X-Amz-Date"] = "20150830T123600Z",
      Authorization = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        .. "SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    }, sign())
  end)

  it("is the same with a Host header, a default port, no path, a fragment, and headers of an earlier signature", function()
    for _, changes in ipairs {
      { headers = { Host = "example.amazonaws.com" } }, { url = "https://example.amazonaws.com:443" },
      { url = "https://example.amazonaws.com/?#there" }, { headers = { "host", "example.amazonaws.com" } },
      { headers = { ["x-amz-date"] = "20140830T123600Z", Authorization = "AWS4-HMAC-SHA256 old", ["User-Agent"] = "bide" } },
    } do
      assert.equal(signature(), signature(changes))
    end
  end)

  it("depends on the port, the body, the method, and the secret", function()
    local seen = { [signature()] = true }
    for _, given in ipairs {
      { { url = "https://example.amazonaws.com:8443/" } }, { { body = "a\0b" } }, { { method = "HEAD" } },
      { {}, { access_key = "AKIDEXAMPLE", secret_key = "another" } },
      { {}, nil, { region = "eu-west-1", service = "service" } }, { { time = TIME + 86400 } },
    } do
      local found = signature(table.unpack(given, 1, 3))
      assert.is_nil(seen[found])
      seen[found] = true
    end
  end)

  it("has one form of a query, whichever way it was encoded and sorted", function()
    local wanted = signature { url = "https://example.amazonaws.com/?Param=a%2Fb&Param-3=%20&x=" }
    assert.equal(wanted, signature { url = "https://example.amazonaws.com/?x&Param-3=+&Param=a%2fb" })
    assert.equal(wanted, signature { url = "https://example.amazonaws.com/?Param-3= &&Param=a/b&x=" })
  end)

  it("has the parameters of the query by name and then by value, not by their texts", function() -- as Python's hmac has it
    assert.equal("0266f9c6c6b2972157bc120ab2664f11cdded27d0d2ec04a4d41b96c3572957c",
      signature { url = "https://example.amazonaws.com/?Param-3=1&Param=3&Param=2" })
    assert.equal(signature { url = "https://example.amazonaws.com/?a=1&a=2" },
      signature { url = "https://example.amazonaws.com/?a=2&a=1" })
  end)

  it("has the values of a repeated header in their order, with one blank for several", function()
    local wanted = signature { headers = { "My-Header", "b", "My-Header", "a c" } }
    assert.equal(wanted, signature { headers = { ["my-header"] = { " b ", "a \n  c" } } })
    assert.not_equal(wanted, signature { headers = { ["my-header"] = { "a c", "b" } } })
  end)

  it("encodes a path that is encoded once more, and resolves its dot segments", function()
    local wanted = signature { url = "https://example.amazonaws.com/a%3Ab/c" }
    assert.equal(wanted, signature { url = "https://example.amazonaws.com//x/.././a%3Ab/./c" })
    assert.not_equal(wanted, signature { url = "https://example.amazonaws.com/a:b/c" })
    assert.not_equal(wanted, signature { url = "https://example.amazonaws.com/a%3Ab/c/" })
  end)

  it("covers the session token", function()
    local added = sign({}, { access_key = "AK", secret_key = "SK", session_token = "token" })
    assert.equal("token", added["X-Amz-Security-Token"])
    assert.truthy(added.Authorization:find("SignedHeaders=host;x-amz-date;x-amz-security-token,", 1, true))
    assert.is_nil(sign({}, { access_key = "AK", secret_key = "SK", session_token = "" })["X-Amz-Security-Token"])
  end)

  it("is made with the time of now, if none is given", function()
    local added = sigv4.sign({ method = "GET", url = "https://example.amazonaws.com/" }, example, scope)
    assert.equal(os.date "!%Y%m%d", added["X-Amz-Date"]:sub(1, 8))
  end)
end)

describe("a signature of S3", function()
  local s3 = { region = "us-east-1", service = "s3" }
  ---The example "GET Object" of the documentation of S3.
  local documented = {
    url = "https://examplebucket.s3.amazonaws.com/test.txt", headers = { Range = "bytes=0-9" }, time = 1369353600,
  }
  local credentials = { access_key = "AKIAIOSFODNN7EXAMPLE", secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" }

  it("is that of its documentation, with the digest of the body", function()
    assert.equal("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41", signature(documented, credentials, s3))
    assert.equal("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      sign(documented, credentials, s3)["X-Amz-Content-Sha256"])
  end)

  it("leaves a given digest of the body as it is", function()
    local added = sign({ headers = { ["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD" }, body = "x" }, example, s3)
    assert.is_nil(added["X-Amz-Content-Sha256"])
    local without_body = sign({ headers = { ["X-Amz-Content-Sha256"] = "UNSIGNED-PAYLOAD" } }, example, s3)
    assert.equal(added.Authorization, without_body.Authorization)
    assert.equal("host;x-amz-content-sha256;x-amz-date", signed({}, example, s3))
  end)

  it("has the path as it is, but for what has to be encoded", function()
    local paths, seen = { "/a%2Fb", "/a/b", "/a//b", "/a/./b", "/a/x/../b", "/a%252Fb" }, {}
    for _, path in ipairs(paths) do
      local found = signature({ url = "https://b.s3.amazonaws.com" .. path }, example, s3)
      assert.is_nil(seen[found], path)
      seen[found] = true
    end
    assert.equal(signature({ url = "https://b.s3.amazonaws.com/a%40b%20c" }, example, s3),
      signature({ url = "https://b.s3.amazonaws.com/a@b c" }, example, s3))
  end)
end)

describe("a signing key", function()
  it("is derived once for its day, region, service and secret", function()
    local count, hmac = 0, digest.hmac
    digest.hmac = function(...)
      count = count + 1
      return hmac(...)
    end
    finally(function() digest.hmac = hmac end)
    local place = { region = "nowhere-1", service = "kept" }
    sign({}, example, place)
    assert.equal(5, count)
    sign({ time = TIME + 60, body = "other" }, example, place)
    assert.equal(6, count)
    sign({ time = TIME + 86400 }, example, place)
    assert.equal(11, count)
    sign({}, example, { region = "nowhere-1", service = "other" })
    sign({}, example, { region = "nowhere-2", service = "kept" })
    assert.equal(21, count)
  end)

  it("stays right when there are more keys than are kept", function()
    local wanted = signature()
    for number = 1, 200 do sign({}, { access_key = "AK", secret_key = "SK" .. number }) end
    assert.equal(wanted, signature())
  end)
end)

describe("a mistake in what is to be signed", function()
  local function mistake_of(...)
    local ok, mistake = pcall(sigv4.sign, ...)
    assert.is_false(ok)
    return mistake
  end
  local request = { method = "GET", url = "https://example.amazonaws.com/", time = TIME }

  it("is named", function()
    for _, case in ipairs {
      { "request.url: expected a string, found nothing", { method = "GET" }, example, scope },
      { "request.url: expected an absolute URL", { method = "GET", url = "/there" }, example, scope },
      { 'request.tme: unknown option, did you mean "time"?', { method = "GET", url = "https://a/", tme = 1 }, example, scope },
      { "request.headers: expected names and values", { method = "GET", url = "https://a/", headers = { "A" } }, example, scope },
      { "scope.region: expected a string that is not empty, found nothing", request, example, { service = "s3" } },
      { "credentials.secret_key: expected a string that is not empty", request, { access_key = "AK" }, scope },
      { "credentials: expected a table", request, nil, scope },
    } do
      local mistake = mistake_of(case[2], case[3], case[4])
      assert.truthy(mistake:find(case[1], 1, true), mistake)
    end
  end)

  it("shows nothing of the credentials", function()
    for _, credentials in ipairs {
      { access_key = "AKHIDDEN", secret_key = { "HIDDEN" } }, { access_key = "AKHIDDEN", secret_key = 4711 },
      { access_key = 4711, secret_key = "HIDDEN" }, { access_key = "AK", secret_key = "HIDDEN", session_token = 4711 },
    } do
      local mistake = mistake_of(request, credentials, scope)
      assert.is_nil(mistake:find "HIDDEN" or mistake:find "4711", mistake)
    end
    local mistake = mistake_of({ method = "GET", url = "no-url" }, { access_key = "AKHIDDEN", secret_key = "HIDDEN" }, scope)
    assert.is_nil(mistake:find "HIDDEN", mistake)
  end)
end)

---Returns the request of a case of the suite: a line of the request, headers, some over several lines, and the body.
local function read_request(text)
  local method, path, rest = text:match "^(%S+) (.-) HTTP/1.1\n(.*)$"
  local head, body = rest:match "^(.-)\n\n(.*)$"
  local headers = {}
  for name, value in ((head or rest):gsub("\n%s+", " ") .. "\n"):gmatch "([^:\n]+):([^\n]*)\n" do
    headers[#headers + 1], headers[#headers + 2] = name, value
  end
  return { method = method, url = "https://example.amazonaws.com" .. path, headers = headers, body = body, time = TIME }
end

describe("the data", function()
  it("of AWS's suite is signed as it says", function()
    local count = each_line("aws/sigv4-suite.jsonl", function(case)
      local context = case.context
      local token = not context.omit_session_token and context.credentials.token or nil
      local credentials = {
        access_key = context.credentials.access_key_id, secret_key = context.credentials.secret_access_key,
        session_token = token,
      }
      local added = sigv4.sign(read_request(case.request), credentials, {
        region = context.region, service = context.service,
        normalize = context.normalize, sign_body = context.sign_body,
      })
      assert.equal(case.signature, added.Authorization:match "Signature=(%x+)$", case.name)
    end)
    assert.equal(38, count or 38)
  end)

  it("of botocore is signed as botocore does", function()
    each_line("aws/signatures.jsonl", function(case) assert.is_nil(aws_cases.signature(case)) end)
  end)
end)
