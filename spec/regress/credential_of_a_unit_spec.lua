---The unit of docs/how-to/run-workers.md gave a worker no password under systemd 254 or later: its credentials have a list of
---rights for the user of the unit, which shows as a right of the group to read them, and bide did not read them.

local Directory = require "spec.support.directory"
local target = require "bide.probe.postgres.target"
local uv = require "luv"

describe("a password file that is a credential of a unit", function()
  local directory = Directory.of_block()
  local path

  before_each(function()
    path = directory:write("pgpass", "db:5432:d:u:found\n")
    uv.os_setenv("CREDENTIALS_DIRECTORY", directory.path)
  end)
  after_each(function() uv.os_unsetenv "CREDENTIALS_DIRECTORY" end)

  local function password_with(mode)
    uv.fs_chmod(path, tonumber(mode, 8))
    return target.read({ host = "db", user = "u", dbname = "d", passfile = path }).hosts[1].password
  end

  it("is read where it can be read by its user alone", function()
    for _, mode in ipairs { "400", "440", "600" } do assert.equal("found", password_with(mode), mode) end
    uv.os_setenv("CREDENTIALS_DIRECTORY", directory.path .. "/")
    assert.equal("found", password_with "440")
  end)

  it("is not read where others have a right, nor in another folder", function()
    for _, mode in ipairs { "444", "404", "460", "450", "620" } do assert.is_nil(password_with(mode), mode) end
    for _, folder in ipairs { "", "/", directory.path .. "/a", directory.path:match "^(.*)/" } do
      uv.os_setenv("CREDENTIALS_DIRECTORY", folder)
      assert.is_nil(password_with "440", folder)
    end
  end)
end)
