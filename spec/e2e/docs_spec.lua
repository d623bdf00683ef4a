---Every example of the pages does what the page says it does.

local Examples = require "spec.support.examples"
local pages = require "spec.support.pages"
local process = require "spec.support.process"

---Describes a page.
---@param page string
---@param program? string that is its service
local function describe_page(page, program)
  describe(page .. (program and ", with its " .. program or ""), function()
    local examples = Examples.of(page, program)

    setup(function() examples:set_up() end)
    teardown(function() examples:tear_down() end)

    it("has examples", function() assert.is_true(#examples.list > 0) end)

    for _, example in ipairs(examples.list) do
      it("$ " .. example.command, function()
        -- busted is not linked with the sanitizers, which the modules of such a build want first
        if process.is_sanitized and example.command:find "^busted" then return end
        local done = examples:run(example)
        assert.equal(Examples.without_numbers(example.output), Examples.without_numbers(done.stdout))
        assert.equal(example.code, done.code)
      end)
    end
  end)
end

for _, page in ipairs(pages.with_examples()) do describe_page(page) end
describe_page("docs/tutorial.md", "service.py")
