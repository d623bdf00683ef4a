local spelling = require "bide.recipe.spelling"

local names = { "StackCreateComplete", "DBInstanceAvailable", "CertificateAuthorityCSRCreated" }

describe("kebab case of names", function()
  local pairs_of = {
    { "StackCreateComplete", "stack-create-complete" }, { "DBInstanceAvailable", "db-instance-available" },
    { "CertificateAuthorityCSRCreated", "certificate-authority-csr-created" },
  }

  it("is that of AWS's own tools", function()
    for _, pair in ipairs(pairs_of) do assert.equal(pair[2], spelling.to_kebab(pair[1])) end
  end)

  it("means the name", function()
    for _, pair in ipairs(pairs_of) do assert.equal(pair[1], spelling.find(pair[2], names)) end
  end)

  it("may have underscores, as boto3 has", function()
    for _, pair in ipairs(pairs_of) do assert.equal(pair[1], spelling.find(pair[2]:gsub("%-", "_"), names)) end
  end)

  it("means nothing where no name is like it, or it is another form", function()
    for _, word in ipairs { "stack-create", "Stack-Create-Complete", "-stack-create-complete", "_stack_create_complete", "" } do
      assert.is_nil(spelling.find(word, names), word)
    end
  end)

  it("is told from words that may be something else", function()
    assert.is_true(spelling.is_spelled "stack-create")
    assert.is_true(spelling.is_spelled "stack_create")
    for _, word in ipairs { "stack", "Stack-Create", "a=b-c", "a=b_c", "5-6", "--stack", "__stack" } do
      assert.is_false(spelling.is_spelled(word), word)
    end
  end)

  it("becomes a name, for the nearest one", function()
    assert.equal("StackCreateComplet", spelling.to_name "stack-create-complet")
    assert.equal("StackCreateComplet", spelling.to_name "stack_create_complet")
    assert.equal("Stack", spelling.to_name "Stack")
  end)
end)
