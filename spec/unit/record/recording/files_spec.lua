---The files of recordings: a line that the disk has no room for leaves the whole lines before it.

local files = require "bide.record.recording.files"
local uv = require "luv"

describe("a file of a recording", function()
  local path

  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  it("loses what was written of a line, and no more", function()
    local descriptor = assert(uv.fs_open(path, "a", 384))
    assert(uv.fs_write(descriptor, "{}\n{\"att"))
    assert.equal("the disk is full", files.take_back(descriptor, "the disk is full", 0))
    assert.equal(8, uv.fs_stat(path).size)
    assert.equal("the disk is full", files.take_back(descriptor, "the disk is full", 5))
    uv.fs_close(descriptor)
    assert.equal("{}\n", io.open(path):read "a")
  end)

  it("says that a part of a line was left where it could not be taken back", function()
    local ends = uv.pipe()
    assert.matches("^the reader is gone; its last line is cut: E", files.take_back(ends.write, "the reader is gone", 5))
    uv.fs_close(ends.read)
    uv.fs_close(ends.write)
  end)
end)
