local file_failure = require "bide.text.file_failure"

describe("What luv says of a file", function()
  it("names the file first, and what is wrong then", function()
    assert.equal("/run/a: b: permission denied", file_failure.named "EACCES: permission denied: /run/a: b")
    assert.equal("permission denied", file_failure.reason "EACCES: permission denied: /run/a: b")
  end)

  it("stays as it is where it names no file, or is of another form", function()
    assert.equal("EBADF: bad file descriptor", file_failure.named "EBADF: bad file descriptor")
    assert.equal("bad file descriptor", file_failure.reason "EBADF: bad file descriptor")
    local other = "r.jsonl: another process is recording into it"
    assert.equal(other, file_failure.named(other))
  end)
end)
