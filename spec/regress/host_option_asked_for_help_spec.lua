---`bide postgres -h localhost && ./start`, as one writes it for psql, printed help and ended with 0, as a success does.

local Workspace = require "spec.support.workspace"

describe("-h with a value", function()
  local workspace

  setup(function() workspace = Workspace.make() end)
  teardown(function() workspace:remove() end)

  for _, words in ipairs {
    { "postgres", "-h", "localhost", "--max-wait", "1s" }, { "postgres", "-hlocalhost", "--max-wait", "1s" },
    { "postgres", "-h=localhost", "--max-wait", "1s" }, { "run", "redis", "-p", "1", "-h", "localhost" },
    { "step", "postgres", "-h", "localhost", "--max-wait", "1s", "--state", "s" }, { "submit", "postgres", "-h", "localhost" },
  } do
    it("is a mistake: " .. table.concat(words, " "), function()
      local done = workspace:bide(words)
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches('-h asks for help, and takes no value, found "localhost": inputs are KEY=VALUE, here host=localhost',
        done.stderr, 1, true)
    end)
  end

  for _, words in ipairs { { "postgres", "-h" }, { "postgres", "-h", "--max-wait", "1s" }, { "run", "-h", "postgres" } } do
    it("is help without one: " .. table.concat(words, " "), function()
      local done = workspace:bide(words)
      assert.equal(0, done.code, done.stderr)
      assert.matches("^Waits until PostgreSQL", done.stdout)
    end)
  end
end)
