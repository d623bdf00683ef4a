---A service that sent a text of many megabytes kept bide busy with masking it beyond its deadline.

local core = require "bide.core"
local secret = require "bide.text.secret"

local LONGEST = 1 << 20

local function shown(value, of_input)
  return core.json.encode(value, { redact = core.secret.mask(), input = of_input })
end

describe("a text that is masked", function()
  it("is shown whole up to 1 MiB", function()
    local text = ("x"):rep(LONGEST - 20) .. " password=hush-value"
    assert.equal(LONGEST, #text)
    local masked = secret.text(text)
    assert.is_nil(masked:find("hush-value", 1, true))
    assert.equal(("x"):rep(100), masked:sub(1, 100))
  end)

  it("is left out with its size beyond that", function()
    assert.equal("[left out: 1.0 MB of text]", secret.text(("x"):rep(LONGEST + 1)))
    assert.equal("[left out: 30.0 MB of text]", secret.text(("pwd=x "):rep(5000000)))
  end)

  it("leaves the document around it as it is", function()
    local document = { list = { 1, ("x"):rep(2 * LONGEST), "y" } }
    assert.equal('{"list":[1,"[left out: 2.1 MB of text]","y"]}', shown(document))
  end)

  it("is kept whole in an input, which tells one wait from another", function()
    local text = ("x"):rep(LONGEST + 1)
    assert.equal(#text + #'{"a":""}', #shown({ a = text }, true))
  end)
end)
