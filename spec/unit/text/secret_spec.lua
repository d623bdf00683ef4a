local base64 = require "bide.base64"
local core = require "bide.core"
local timely = require "spec.support.timely"

local json, secret = core.json, core.secret

local function words(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return list
end

describe("the name of a secret", function()
  local any = words [[password DB_PASSWORD Passwd client-secret SecretString credentials access_token AccessToken access-token
    Authorization proxy-authorization passwordHash X-Amz-Credential aws.secret.access.key myaccesstokenvalue]]
  local text = words [[token Token TOKEN id_token refresh_token sessionToken X-Vault-Token PRIVATE-TOKEN X-Auth-Token user.token
    apiKey api_key apikey API_KEY APIKey x-api-key X-API-KEY MYAPIKEY cookie Cookie Set-Cookie set_cookie setcookie session
    session_id sessionId SESSIONID sessionid PHPSESSID privateKey private_key privatekey PrivateKey ssh_key pwd DB_PWD dbPwd pass
    userPass passphrase passPhrase PASS_PHRASE bearer jwt JWT authJwt auth X-Auth signature X-Amz-Signature IDToken idToken
    authtoken AuthToken token2 api_key_1 accessKey access_key securityToken oauth2token csrf-token apiKeys API_KEYS privateKeys
    cookies setCookies session_cookies jwts signatures passphrases refreshTokens apiTokens sessionIds cookies_2]]
  local open = words [[tokenCount signatureAlgorithm sessionTimeout NextToken nextToken next_token ContinuationToken
    NextContinuationToken continuation-token PageToken nextPageToken next_page_token pageToken max_tokens maxTokens tokens
    clientToken ClientRequestToken client_request_token idempotencyToken IdempotencyToken Idempotency-Token syncToken require_auth
    name author authority authorName accessKeyId keyboard bypass passenger passed compass cookiePolicy bearerType jwtIssuer
    nexttoken tokenizer signatureVersion sessions status state keys key publicKeyId monkey]]

  for _, name in ipairs(any) do
    it("hides all values: " .. name, function() assert.equal("any", secret.kind(name)) end)
  end
  for _, name in ipairs(text) do
    it("hides texts: " .. name, function() assert.equal("text", secret.kind(name)) end)
  end
  for _, name in ipairs(open) do
    it("hides nothing: " .. name, function() assert.is_nil(secret.kind(name)) end)
  end

  it("is each word of the lists of the source, which first looks at the letters of a name", function()
    local handle <close> = assert(io.open "src/secret/name.c")
    local source, count = handle:read "a", 0
    for _, list in ipairs { "anywhere", "last_words", "endings" } do
      for word in source:match("%*const " .. list .. "%[%] = (%b{})"):gmatch '"(%l+)"' do
        count = count + 1
        assert.equal(list == "anywhere" and "any" or "text", secret.kind(word), word)
        assert.equal(list == "anywhere" and "any" or "text", secret.kind("MY_" .. word:upper()), word)
      end
    end
    assert.is_true(count > 40)
  end)

  it("may be of any length", function()
    for _, length in ipairs { 1, 120, 126, 127, 128, 129, 1000, 100000 } do
      local before = ("a"):rep(length)
      assert.equal("any", secret.kind(before .. "password"))
      assert.equal("any", secret.kind("password" .. before))
      assert.equal("any", secret.kind(before .. "_pass_word_" .. before))
      assert.equal("text", secret.kind(before .. "_token"))
      assert.equal("text", secret.kind(before .. "ApiKey"))
      assert.is_nil(secret.kind(before .. "token"))
      assert.is_nil(secret.kind(before))
    end
    assert.is_nil(secret.kind "")
  end)

  local function cased(parts, separator, change)
    local changed = {}
    for position, part in ipairs(parts) do changed[position] = change(part, position) end
    return table.concat(changed, separator)
  end

  local function capital(part) return part:sub(1, 1):upper() .. part:sub(2) end

  it("is one in every spelling", function()
    local names = { { "api", "key" }, { "user", "token" }, { "private", "key" }, { "my", "session" }, { "db", "pwd" },
      { "set", "cookie" }, { "session", "id" }, { "the", "pass", "phrase" }, { "x", "auth", "token" }, { "url", "signature" } }
    for _, parts in ipairs(names) do
      for _, separator in ipairs { "_", "-", ".", " " } do
        for _, change in ipairs { string.lower, string.upper, capital } do
          local name = cased(parts, separator, function(part) return change(part) end)
          assert.equal("text", secret.kind(name), name)
          assert.is_nil(secret.kind(name .. separator .. change "count"), name)
        end
      end
      local camel = cased(parts, "", function(part, position) return position == 1 and part or capital(part) end)
      assert.equal("text", secret.kind(camel), camel)
      assert.is_nil(secret.kind(camel .. "Count"), camel)
    end
  end)
end)

describe("a document without its secrets", function()
  local function shown(value, mask, input)
    return json.decode(json.encode(value, { redact = mask or true, input = input }))
  end

  it("has none of a new word's texts, and its other values", function()
    assert.same({ token = "[redacted]", maxTokens = 3, session = { id = 5, state = "open" }, cookie = { "[redacted]", 1 } },
      shown { token = "x", maxTokens = 3, session = { id = 5, state = "open" }, cookie = { "a=b", 1 } })
    assert.same({ token = 5, jwt = true, auth = json.null }, shown { token = 5, jwt = true, auth = json.null })
  end)

  it("has no value of an old word or of a recipe's but booleans and null", function()
    local mask = secret.mask { "pin" }
    assert.same({ password = "[redacted]", credentials = "[redacted]", secret = true, passwd = json.null },
      shown { password = 5, credentials = { a = 1 }, secret = true, passwd = json.null })
    assert.same({ a = { { pin = "[redacted]" } }, pin = false, Pins = 1 },
      shown({ a = { { pin = 1234 } }, pin = false, Pins = 1 }, mask))
  end)

  it("has the harmless headers of requests in an input, and no others", function()
    local headers = { Accept = "a/b", ["X-Whatever"] = "v", ["content-type"] = "c", ["X-Number"] = 5, Cookie = { "a" } }
    local hidden = { Accept = "a/b", ["X-Whatever"] = "[redacted]", ["content-type"] = "c", ["X-Number"] = "[redacted]",
      Cookie = "[redacted]" }
    assert.same({ headers = hidden, deep = { { Headers = hidden } } },
      shown({ headers = headers, deep = { { Headers = headers } } }, true, true))
    assert.same({ headers = { "[redacted]" } }, shown({ headers = { "X-A: b" } }, true, true))
    assert.same({ headers = "[redacted]" }, shown({ headers = "X-A: b\nAccept: c" }, true, true))
    assert.same({ headers = "X-A: b" }, shown { headers = "X-A: b" })
    assert.same({ headers = { ["X-Whatever"] = "v" } }, shown { headers = { ["X-Whatever"] = "v" } })
  end)

  it("has the idempotency token", function()
    local mask = secret.mask(nil, "token")
    mask:collect(json.document { token = "11112222-3333", password = "11112222-3333" }, true)
    assert.same({ token = "11112222-3333", url = "/?token=11112222-3333" },
      shown({ token = "11112222-3333", url = "/?token=11112222-3333" }, mask, true))
  end)
end)

describe("a text without its secrets", function()
  local cases = {
    { "http://me:geheim@h:80/p?x=a:b@c", "http://[redacted]@h:80/p?x=a:b@c" },
    { "https://TOKEN@github.com/x", "https://[redacted]@github.com/x" },
    { "a://u:p:q@x/d and b://a:b@c", "a://[redacted]@x/d and b://[redacted]@c" },
    { "http://u:p@w@h/", "http://[redacted]@h/" },
    { "postgres://app@db/waits" }, { "see PostgreSQL://my-app_1.x@db" }, { "postgres://app:p@db", "postgres://[redacted]@db" },
    { "postgres://a%3Ap@db", "postgres://[redacted]@db" }, { "xpostgres://app@db", "xpostgres://[redacted]@db" },
    { "://:@", "://[redacted]@" },
    { "http://h:80/a@b" }, { "http://a:b" }, { "://" }, { "http://@h" },
    { "https://s3/x?X-Amz-Credential=P35&X-Amz-Signature=P36&access_token=P37&password=P38#top",
      "https://s3/x?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]&access_token=[redacted]&password=[redacted]#top" },
    { "/x?sig=a%2Bb&se=1", "/x?sig=[redacted]&se=1" }, { "?NextToken=abc&max_tokens=5" },
    { "https://h/cb#access_token=P37&state=1", "https://h/cb#access_token=[redacted]&state=1" },
    { "Server=x;Password=P31;Database=d", "Server=x;Password=[redacted];Database=d" },
    { "Server=x; Pwd = my pass; Database=d", "Server=x; Pwd = [redacted]; Database=d" },
    { "Password=my pass;Server=x", "Password=[redacted];Server=x" },
    { "host=h password=P31 dbname=d", "host=h password=[redacted] dbname=d" },
    { "host=h password='a b' dbname=d", "host=h password='[redacted]' dbname=d" },
    { "DefaultEndpointsProtocol=https;AccountKey=ab+/c==;x=y", "DefaultEndpointsProtocol=https;AccountKey=[redacted];x=y" },
    { "Authorization: Bearer P39", "Authorization: [redacted]" },
    { "sent Bearer P39, refused", "sent Bearer [redacted], refused" },
    { "basic dXNlcjpwYXNz", "basic [redacted]" },
    { '-H "X: Bearer P39"', '-H "X: Bearer [redacted]"' }, { '"Basic dXNlcjpwYXNz=="', '"Basic [redacted]"' },
    { "a Bearer token is missing" }, { 'Bearer realm="x"' }, { "Basic authentication" }, { "forbearer x" },
    { "X-Api-Key: abc\nHost: h", "X-Api-Key: [redacted]\nHost: h" }, { "Cookie: a=b; c=d", "Cookie: [redacted]" },
    { '{"token": "a\\"b", "state": "x"}', '{"token": "[redacted]", "state": "x"}' },
    { "--token: found none" }, { "password= is missing" }, { "Pwd = x; a", "Pwd = [redacted]; a" },
    { "token == `x`" }, { "a == b = c" }, { "=" }, { ":" }, { "" }, { "b" }, { "Bearer" }, { "Bearer " }, { "password=" },
    { '"":"x"' }, { "\0=\0:\0" },
  }
  for _, case in ipairs(cases) do
    it("is as it should be: " .. case[1], function()
      local mask = secret.mask()
      assert.equal(case[2] or case[1], mask:text(case[1]))
      assert.equal(case[2] or case[1], mask:text(mask:text(case[1])))
      assert.same({ case[2] or case[1] }, json.decode(json.encode({ case[1] }, { redact = true })))
      assert.same({ case[1] }, json.decode(json.encode { case[1] }))
    end)
  end

  it("has none of the values of secret members, from 8 bytes on", function()
    local mask = secret.mask { "pin" }
    mask:collect(json.document { password = "12345678", token = "1234567", pin = "abcdefgh",
      deep = { { jwt = { "jjjjjjjj" } } } })
    mask:collect(json.document { headers = { Authorization = "Bearer ttttttttt", ["X-Any"] = "xxxxxxxx",
      Accept = "accepted" } }, true)
    mask:add "added by hand"
    assert.equal("[redacted] 1234567 <[redacted]> [redacted][redacted] [redacted] accepted [redacted]",
      mask:text "12345678 1234567 <abcdefgh> jjjjjjjjttttttttt xxxxxxxx accepted added by hand")
  end)

  it("has no value in another way of writing", function()
    local mask = secret.mask()
    mask:add 's3c+/ &"<\\\u{e4}'
    for _, text in ipairs {
      's3c+/ &"<\\\u{e4}', "s3c%2B%2F%20%26%22%3C%5C%C3%A4", "s3c%2b/+%26%22%3c%5c%c3%a4", "%73%33%63%2B%2F%20%26%22%3C%5C%C3%A4",
      's3c+\\/ &\\"<\\\\\\u00e4', "\\u0073\\u0033c\\u002B\\u002f\\u0020\\u0026\\u0022\\u003c\\u005C\\u00E4",
      "s3c+/ &amp;&quot;&lt;\\\u{e4}", "&#115;&#x33;&#99;&#43;&#47;&#32;&#38;&#34;&#x3C;&#92;&#228;",
    } do
      assert.equal("a=[redacted].", mask:text("a=" .. text .. "."))
    end
    for _, text in ipairs { "s3c%2", "s3c%2B%2F%2", "%%%%%%%%", "s3c+\\", "s3c+/ &amp", "\\u00",
      "&#;&#x;&#99999999999;&#x110000;&#xd800;", "\\ud800\\udc00",
      "++++++++", "%00%00%00%00", "&amp;amp;amp;", "a\\\0bcdefgh" } do
      assert.equal(text, mask:text(text))
    end
  end)

  it("has no value in base64, whatever stands around it", function()
    local mask, value = secret.mask(), "pass\xFF\xFE?>word~~~"
    mask:add(value)
    for before = 0, 4 do
      for after = 0, 4 do
        local text = base64.encode(("u"):rep(before) .. value .. ("v"):rep(after))
        for _, written in ipairs { text, (text:gsub("%+", "-"):gsub("/", "_"):gsub("=", "")) } do
          local masked = mask:text(written)
          local rest = masked:gsub("%[redacted%]", "")
          assert.is_true(masked ~= written and #rest <= 4 * ((before + 2) // 3 + (after + 2) // 3 + 1), written .. " " .. masked)
        end
      end
    end
  end)

  it("has no random value in any way of writing", function()
    local encoders = {
      function(value) return (value:gsub("[^%w]", function(byte) return ("%%%02X"):format(byte:byte()) end)) end,
      function(value) return (value:gsub(".", function(byte) return ("%%%02x"):format(byte:byte()) end)) end,
      function(value) return json.encode(value):sub(2, -2) end,
      function(value) return (value:gsub("[&<>\"']", function(byte) return ("&#%d;"):format(byte:byte()) end)) end,
      base64.encode,
    }
    math.randomseed(7)
    for _ = 1, 300 do
      local bytes = {}
      for position = 1, math.random(8, 200) do bytes[position] = string.char(math.random(32, 126)) end
      local value, mask = table.concat(bytes), secret.mask()
      mask:add(value)
      for _, encode in ipairs(encoders) do
        local masked = mask:text("<" .. encode(value) .. ">")
        assert.is_true(#masked <= #"<[redacted]w==>", masked)
      end
    end
  end)

  it("is found in time, however many secrets there are", function()
    local mask, parts = secret.mask(), {}
    for i = 1, 100 do mask:collect(json.document { token = ("hunter2-%03d"):format(i) }) end
    assert.equal(64, #mask:values())
    mask:add "a value that is not of a document"
    assert.equal(65, #mask:values())
    for i = 1, 20000 do parts[i] = ("hunter2-001 token=abc; hunter2-%d00 "):format(i) end
    local text, one = table.concat(parts), secret.mask()
    one:add "hunter2-001"
    local function time(of)
      local began = os.clock()
      assert.is_nil(of:text(text):find("hunter2-001", 1, true))
      return os.clock() - began
    end
    timely.within(2 * #mask:values(), function() return time(mask) / time(one) end)
  end)

  it("is found wherever it stands in a long text", function()
    local mask = secret.mask()
    mask:add "hunter2hunter2"
    for before = 480, 530 do
      local filler = ("x"):rep(before)
      assert.equal(filler .. "[redacted]" .. filler, mask:text(filler .. "hunter2hunter2" .. filler))
      assert.equal(filler .. "?token=[redacted]&x", mask:text(filler .. "?token=abc&x"))
      assert.equal(filler .. " Bearer [redacted]", mask:text(filler .. " Bearer abc1"))
    end
  end)

  it("has none of the longer of two values", function()
    local mask = secret.mask()
    mask:add "abcdefgh"
    mask:add "abcdefghijkl"
    mask:add "ghijklmnop"
    assert.equal("[redacted] [redacted]", mask:text "abcdefghijklmnop abcdefgh")
  end)
end)

describe("a mask", function()
  it("is checked where it is used", function()
    local mask = secret.mask()
    assert.has_error(function() mask.text({}, "x") end)
    assert.has_error(function() mask:text() end)
    assert.has_error(function() mask:collect {} end)
    assert.has_error(function() secret.mask { {} } end)
    assert.has_error(function() debug.getmetatable(mask).__gc({}) end)
  end)

  it("may be closed and used again", function()
    local mask = secret.mask()
    mask:add "abcdefgh"
    debug.getmetatable(mask).__gc(mask)
    assert.equal("abcdefgh", mask:text "abcdefgh")
    mask:add "abcdefgh"
    assert.equal("[redacted]", mask:text "abcdefgh")
  end)

  it("lives as long as it is used, whatever a metamethod does to the options", function()
    local options = { redact = secret.mask { "pin" } }
    local value = setmetatable({}, { __pairs = function()
      options.redact = nil
      collectgarbage()
      return next, { pin = "x" }
    end })
    assert.is_string(json.encode({ value, { pin = "x" } }, options))
  end)
end)

describe("a secret value", function()
  local secrets = require "bide.text.secret"

  it("is in one mask for all waits that have none of their own", function()
    local function mask_of(wait) return secrets.of_wait(wait) end
    local waiter, input = {}, json.document {}
    secrets.remember "a-secret-of-all"
    local mask = mask_of { waiter = waiter, input = input }
    assert.equal("[redacted]", mask:text "a-secret-of-all")
    assert.equal(mask, mask_of { waiter = waiter, input = input })
    assert.not_equal(mask, mask_of { waiter = waiter, input = json.document { password = "mine-alone" } })
    secrets.remember "another-secret-of-all"
    local later = mask_of { waiter = waiter, input = input }
    assert.not_equal(mask, later)
    assert.equal("[redacted] [redacted]", later:text "a-secret-of-all another-secret-of-all")
  end)

  it("that is renewed is hidden with the latest ones before it, and what stays is always hidden", function()
    secrets.remember "a-secret-that-stays"
    for number = 1, 70 do
      for _ = 1, 2 do secrets.remember_latest("mine", ("renewed-%03d"):format(number)) end
    end
    secrets.remember_latest("yours", "renewed-too")
    secrets.remember_latest("mine", "a-secret-that-stays")
    assert.equal("[redacted] [redacted] [redacted]", secrets.any():text "renewed-070 renewed-056 renewed-too")
    assert.equal("renewed-055 [redacted]", secrets.any():text "renewed-055 a-secret-that-stays")
  end)
end)
