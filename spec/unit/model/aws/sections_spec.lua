local sections = require "bide.model.aws.sections"

-- busted looks up a global at each use
local math, table = math, table

describe("the files of AWS", function()
  it("have sections of properties, comments and blank lines", function()
    local found = assert(sections.read [[
# a comment
; another one

[default]   # the usual one
region = eu-west-1
Output=json   ; a comment
aws_secret_access_key = a/b+c=d#e;f
role_arn: arn:aws:iam::1:role/x
empty =

[ profile "my dev" ]
region	=	us-east-1
]])
    assert.same({
      default = { region = "eu-west-1", output = "json", aws_secret_access_key = "a/b+c=d#e;f",
        role_arn = "arn:aws:iam::1:role/x", empty = "" },
      ['profile "my dev"'] = { region = "us-east-1" },
    }, found)
  end)

  it("may have CRLF, a BOM, no line break at the end, and indented properties", function()
    local wanted = { default = { region = "eu-west-1", output = "json" } }
    for _, text in ipairs {
      "[default]\r\nregion = eu-west-1\r\noutput = json\r\n", "\xEF\xBB\xBF[default]\nregion=eu-west-1\noutput=json",
      "  [default]\n  region = eu-west-1\n  output = json", "[default]\n\tregion = eu-west-1\n\n\t# x\n\toutput = json\n",
    } do assert.same(wanted, (sections.read(text))) end
  end)

  it("join sections, and replace properties, that come again", function()
    assert.same({ a = { x = "3", y = "2" }, b = {} }, (sections.read "[a]\nx=1\ny=2\n[b]\n[a]\nx=3\n"))
  end)

  it("continue a value in lines that are indented more", function()
    local found = assert(sections.read [[
[services local]
s3 =
  endpoint_url = http://s3:9000   # a comment
  addressing_style = path
elastic_beanstalk =
    endpoint_url = http://eb
[profile x]
credential_process = tool --a "b # c" ; other
  --d
region = eu-west-1
]])
    local s3 = { endpoint_url = "http://s3:9000", addressing_style = "path" }
    assert.same(s3, sections.nested(found["services local"].s3))
    assert.same({ endpoint_url = "http://eb" }, sections.nested(found["services local"].elastic_beanstalk))
    assert.same({ credential_process = 'tool --a "b # c" ; other\n--d', region = "eu-west-1" }, found["profile x"])
  end)

  it("that are wrong are refused with the line, and without its text", function()
    local secret = "wJalrXUtnFEMI"
    local rows = {
      { "[default]\nregion = x\n" .. secret, "line 3: expected [section] or name = value" },
      { "[default]\n= " .. secret, "line 2: expected [section] or name = value" },
      { "\n\naws_secret_access_key = " .. secret, "line 3: expected a [section] before the first property" },
      { "[" .. secret, "line 1: expected a section such as [profile dev]" },
      { "[]", "line 1: expected a section such as [profile dev]" },
      { "[a] " .. secret, "line 1: expected a section such as [profile dev]" },
      { "\xFF\xFE[\0a\0]\0\n\0", "line 1: expected text, found a NUL byte; is the file in UTF-16?" },
      { "[a]\nx = \0" .. secret, "line 2: expected text, found a NUL byte; is the file in UTF-16?" },
    }
    for _, row in ipairs(rows) do
      local found, mistake = sections.read(row[1])
      assert.is_nil(found)
      assert.equal(row[2], mistake)
    end
  end)

  it("are read in linear time, whatever is in them", function()
    local size = 1 << 18
    local blanks, began = (" "):rep(size), os.clock()
    for _, text in ipairs {
      "[a]\nx=" .. blanks .. "y", "[a]\nx" .. blanks .. "y", "[" .. blanks .. "a", blanks .. "\n" .. blanks,
      "[a]\nx=1\n" .. (" y\n"):rep(size // 3), ("[a]\nx=1\n"):rep(size // 8), ("\r"):rep(size), ("["):rep(size),
      "[a]\nx=" .. ("# "):rep(size // 2), ("=\n"):rep(size // 2),
    } do sections.read(text) end
    assert.is_true(os.clock() - began < 3) -- quadratic time would take many minutes
  end)

  it("of random bytes are read or refused", function()
    math.randomseed(7)
    local alphabet = { "[", "]", "\n", "\r", "=", ":", "#", ";", " ", "\t", "a", '"', "\0", "\xEF\xBB\xBF", "\xFF", "profile " }
    for _ = 1, 5000 do
      local pieces = {}
      for position = 1, math.random(30) do pieces[position] = alphabet[math.random(#alphabet)] end
      local found, mistake = sections.read(table.concat(pieces))
      assert(found or mistake:find "^line %d+: expected ")
    end
  end)
end)
