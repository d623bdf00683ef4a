---The delays of the bundled recipes: what asks something near begins at 50 ms and stays below a second, what is far keeps
---two seconds; each says why.

local bide = require "bide"

local far = { git_ref = true, kubernetes = true, kubernetes_job = true, kubernetes_rollout = true }

---The comment at the head of a file.
local function head_of(file)
  local lines = {}
  for line in io.lines(file) do
    if line:sub(1, 3) ~= "---" then break end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

local function words_of(milliseconds)
  return milliseconds < 1000 and ("%d ms"):format(milliseconds) or ("%d s"):format(milliseconds // 1000)
end

describe("the delays of the recipe", function()
  for file in io.popen("ls scripts/*.lua"):lines() do
    local name = file:match "([%w_]+)%.lua$"

    it(name .. " are those that its comment explains", function()
      local recipe = assert(bide.load(file))
      assert.is_not_nil(next(recipe.waiters))
      for _, waiter in pairs(recipe.waiters) do
        local first, last = waiter.min_delay, waiter.max_delay
        assert.is_true(far[name] and first >= 2000 or first == 50 and last < 1000)
        assert.matches(("the delays are %s to %s."):format(words_of(first), words_of(last)), head_of(file), 1, true)
      end
    end)
  end
end)
