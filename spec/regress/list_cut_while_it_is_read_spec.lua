---A list of `--each` that another program cut or rewrote while it was read had too few waits, whose success was that of all.

local Directory = require "spec.support.directory"
local each = require "bide.cli.waits.each"
local parser = require "bide.cli.words.parser"
local uv = require "luv"

describe("a list that is changed while it is read", function()
  local folder, file = Directory.of_each(), nil
  before_each(function()
    file = folder.path .. "/list.jsonl"
    folder:write("list.jsonl", ('{"path":"/etc"}\n'):rep(10000))
  end)

  ---Reads the list, and calls the function after its first line. Returns how many lines there were, and the mistake.
  local function read(change)
    local count = 0
    local _, mistake = parser.attempt(function()
      for _ in each.documents(file) do
        count = count + 1
        if count == 1 then change() end
      end
    end)
    return count, mistake
  end

  local expected = "it was written to while it was read"

  it("is refused if it was cut", function()
    local count, mistake = read(function() assert(io.open(file, "w")):close() end)
    assert.is_true(count < 10000)
    assert.equal(("--each: %s: %s"):format(file, expected), mistake)
  end)

  it("is refused if it was written again", function()
    local _, mistake = read(function()
      folder:write("list.jsonl", ('{"path":"/usr"}\n'):rep(10000))
      assert(uv.fs_utime(file, 1, 1))
    end)
    assert.matches(expected, mistake, 1, true)
  end)

  it("is refused if a line was added", function()
    local _, mistake = read(function()
      local handle <close> = assert(io.open(file, "a"))
      handle:write '{"path":"/usr"}\n'
    end)
    assert.matches(expected, mistake, 1, true)
  end)

  it("is read as it was if another file takes its place", function()
    local count, mistake = read(function()
      folder:write("new.jsonl", '{"path":"/usr"}\n')
      assert(uv.fs_rename(folder.path .. "/new.jsonl", file))
    end)
    assert.same({ 10000, nil }, { count, mistake })
  end)

  it("is read as it was if it was removed", function()
    assert.same({ 10000, nil }, { read(function() os.remove(file) end) })
  end)
end)
