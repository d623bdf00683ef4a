---A bind with a user and without a password is an anonymous one for many directories, so that any user passed, also with
---`password=@env:NAME` of an empty variable. And the example on the page of the recipe had its base in the wrong form.

local Workspace = require "spec.support.workspace"
local ldap = require "bide.ldap"

describe("a user of a directory", function()
  local workspace = Workspace.of_each()

  it("needs a password", function()
    for _, password in ipairs { "", false } do
      local ok, mistake = pcall(ldap, { host = "localhost", user = "cn=me", password = password or nil })
      assert.is_false(ok)
      assert.matches("bide.ldap: password: expected one, since there is a user; found nothing", mistake, 1, true)
    end
    assert.is_nil(ldap.mistake { user = "cn=me", password = "x" })
    assert.is_nil(ldap.mistake {})
    assert.is_nil(ldap.mistake { user = "", password = "" })
    assert.matches("^user: expected one", ldap.mistake { password = "x" })
  end)

  it("needs one on the command line", function()
    workspace:bide({ "run", "ldap", "localhost", "user=cn=me", "--max-wait", "1s" }):says(2, "password: expected one")
  end)
end)
