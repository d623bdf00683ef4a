---A wait that a signal ended was skipped in JUnit and in TAP, with which a run without any success was green.

local Workspace = require "spec.support.workspace"

describe("a run that a signal ended", function()
  local workspace = Workspace.of_block()

  for _, words in ipairs { "command false", "command false + command true", "command true --hold 30s" } do
    it("is red in JUnit and in TAP: " .. words, function()
      local line = ('"$BIDE" %s --max-wait 60s --interval 10ms --events events --output junit=junit --output tap=tap --quiet & '
        .. 'bide=$!; until grep -q \'"attempt"\' events; do sleep 0.02; done; kill $bide; wait $bide')
      assert.equal(143, workspace:shell(": >events; " .. line:format(words)).code)
      assert.matches('<error type="cancelled" message="', workspace:read "junit", 1, true)
      assert.matches('errors="[1-9]" skipped="0"', workspace:read "junit")
      assert.matches("\nnot ok ", workspace:read "tap", 1, true)
      assert.no.matches("SKIP", workspace:read "tap", 1, true)
    end)
  end

  it("has failures beside which the rest is skipped", function()
    local done = workspace:shell '"$BIDE" command "echo 1" --fail @ + command false --max-wait 60s --output tap --quiet'
    assert.equal(1, done.code, done.stderr)
    assert.matches("\nnot ok 1 [^\n]*\n[^\n]*\nok 2 [^\n]* # SKIP ", done.stdout)
  end)
end)
