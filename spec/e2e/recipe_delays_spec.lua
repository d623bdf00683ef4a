---The delays of the bundled recipes: what asks something near begins at 50 ms and grows with the time waited, what is far
---begins at two seconds; each says why.

local bide = require "bide"

local far = { commit_checks = true, git_ref = true, kubernetes = true, kubernetes_job = true, kubernetes_rollout = true }

---The comment at the head of a file.
local function head_of(file)
  local lines = {}
  for line in io.lines(file) do
    if line:sub(1, 3) ~= "---" then break end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

local function words_of(waiter)
  if not waiter.lateness then
    return ("the delays are %d s to %d s."):format(waiter.min_delay // 1000, waiter.max_delay // 1000)
  end
  return ("the delays are %d ms to %d s, %d %% of the time waited."):format(waiter.min_delay, waiter.max_delay // 1000,
    waiter.lateness // 10000000)
end

describe("the delays of the recipe", function()
  for file in io.popen("ls scripts/*.lua"):lines() do
    local name = file:match "([%w_]+)%.lua$"

    it(name .. " are those that its comment explains", function()
      local recipe = assert(bide.load(file))
      assert.is_not_nil(next(recipe.waiters))
      for _, waiter in pairs(recipe.waiters) do
        local delays = { waiter.min_delay, waiter.max_delay, waiter.lateness }
        if far[name] then assert.is_true(delays[1] >= 2000) else assert.same({ 50, 5000, 50000000 }, delays) end
        assert.matches(words_of(waiter), head_of(file), 1, true)
      end
    end)
  end
end)
