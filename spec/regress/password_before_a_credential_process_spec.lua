---The name of a credential_process was its first word that is no assignment, and so the end of a password with a blank
---in it: PASS="a hunter2" program.

local credential_process = require "bide.model.aws.credential_process"

describe("the name of a credential_process", function()
  local rows = {
    { "/usr/bin/vault-keys --role hunter2", "/usr/bin/vault-keys" },
    { "A=1 B=x,y=z vault hunter2", "vault" },
    { "A=1; vault hunter2", "vault" },
    { [[PASS="a hunter2" vault]], "a program" },
    { "PASS='a hunter2' vault", "a program" },
    { [[PASS=a\ hunter2 vault]], "a program" },
    { "PASS=$(cat hunter2) vault", "a program" },
    { "PASS+=hunter2 vault", "a program" },
    { "(PASS=hunter2 vault)", "a program" },
    { "A=1;vault hunter2", "a program" },
    { [["/opt/my tools/vault" hunter2]], "a program" },
    { "A=1", "a program" },
  }

  for _, row in ipairs(rows) do
    it("is " .. row[2] .. " for " .. row[1], function()
      assert.equal(row[2], credential_process.name_of(row[1]))
    end)
  end
end)
