local uv = require "luv"
local core = require "bide.core"
local file = require "bide.file"
local Directory = require "spec.support.directory"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"

describe("bide.file", function()
  local directory = Directory.of_each()

  ---A file is closed in a thread, which a busy machine may leave for later.
  after_each(function()
    for _ = 1, 100 do
      if not uv.loop_alive() then break end
      uv.run("nowait")
      uv.sleep(10)
    end
    assert.is_nil(leftovers.find())
  end)

  it("says what a file is", function()
    local path = directory:write("thing", "four")
    uv.fs_utime(path, 1000, 1234567890.5)
    local found = file(path)
    assert.same({ path, "file", 4, 1234567890.5 }, { found.path, found.type, found.size, found.modified })
    assert.is_true(found.age > 1e8)
    assert.is_nil(found.content)
  end)

  it("knows how long nobody has written to it", function()
    local found = file(directory:write("thing", "x"))
    assert.is_true(found.age >= 0 and found.age < 5)
  end)

  it("raises NotStable where it was written to a moment ago", function()
    local path = directory:write("thing", "x")
    local failure = failure_of(file, path, { stable = 5, content = true })
    assert.equal("NotStable", failure.type)
    assert.matches("/thing: it was written to %d.%d s ago", failure.message)
    local now = core.loop.wall() / 1000
    uv.fs_utime(path, now - 6, now - 6)
    assert.equal("x", file(path, { stable = 5, content = true }).content)
    assert.equal("NotStable", failure_of(file, path, { stable = 7 }).type)
  end)

  it("says so where the file's time is still to come", function()
    local path, now = directory:write("thing", "x"), core.loop.wall() / 1000
    uv.fs_utime(path, now + 60, now + 60)
    assert.equal(0, file(path).age)
    assert.matches("its time is %d+.%d s ahead of this machine's clock", failure_of(file, path, { stable = 1 }).message)
  end)

  it("follows links, and knows folders", function()
    directory:write("thing", "four")
    uv.fs_symlink("thing", directory.path .. "/link")
    assert.equal(4, file(directory.path .. "/link").size)
    assert.equal("directory", file(directory.path).type)
  end)

  it("reads the content where asked to", function()
    local text = ("a\0\xffb"):rep(100000)
    assert.equal(text, file(directory:write("thing", text), { content = true }).content)
    assert.equal("", file(directory:write("empty", ""), { content = true }).content)
    assert.matches("Name:", file("/proc/self/status", { content = true }).content)
  end)

  it("raises NotFound", function()
    local failure = failure_of(file, directory.path .. "/no thing")
    assert.equal("NotFound", failure.type)
    assert.matches("no thing: no such file", failure.message)
    assert.equal("NotFound", failure_of(file, directory:write("thing", "") .. "/below").type)
    uv.fs_symlink("nowhere", directory.path .. "/link")
    assert.equal("DanglingLink", failure_of(file, directory.path .. "/link").type)
    assert.equal("NotAFolder", failure_of(file, directory.path .. "/thing/").type)
  end)

  it("raises ContentTooLarge, and reads no more than that", function()
    local path = directory:write("thing", ("x"):rep(100))
    assert.equal(100, #file(path, { content = true, content_limit = 100 }).content)
    assert.equal("ContentTooLarge", failure_of(file, path, { content = true, content_limit = 99 }).type)
  end)

  it("raises NotAFile for what has no content, and is not held up by a pipe without a writer", function()
    local path = directory.path .. "/pipe"
    os.execute("mkfifo " .. path)
    assert.equal("fifo", file(path).type)
    assert.equal("NotAFile", failure_of(file, path, { content = true }).type)
    assert.equal("NotAFile", failure_of(file, directory.path, { content = true }).type)
    assert.equal("NotAFile", failure_of(file, "/dev/zero", { content = true }).type)
  end)

  it("raises PermissionDenied", function()
    local path = directory:write("thing", "x")
    uv.fs_chmod(path, 0)
    if io.open(path) then return pending "whoever runs this may read everything" end
    assert.equal("PermissionDenied", failure_of(file, path, { content = true }).type)
    assert.equal("file", file(path).type)
  end)

  it("raises InvalidPath, and FileFailure for what is rare", function()
    assert.equal("InvalidPath", failure_of(file, "").type)
    assert.equal("InvalidPath", failure_of(file, "/etc/passwd\0").type)
    assert.equal("FileFailure", failure_of(file, ("x"):rep(5000)).type)
  end)

  it("refuses options that it does not know, at the script's own line", function()
    local ok, mistake = pcall(function() local found = file("x", { contnet = true }) return found end)
    assert.is_false(ok)
    assert.matches('file_spec.lua:%d+: bide.file: contnet: unknown option, did you mean "content"%?', mistake)
    ok, mistake = pcall(function() local found = file(3) return found end)
    assert.is_false(ok)
    assert.matches("path: expected a string, found 3", mistake)
  end)

  it("cut anywhere, leaves no descriptor behind", function()
    local path, before = directory:write("thing", ("x"):rep(900000)), nil
    for i = 1, 200 do
      local how
      local started = core.task.start(function() return file(path, { content = true }) end,
        function(_, ended) how = ended end)
      for _ = 1, i % 20 do core.loop.turn() end
      started:cancel()
      while not how do core.loop.turn() end
      while uv.loop_alive() do uv.run("once") end
      if i == 20 then before = leftovers.descriptors() end
    end
    assert.is_true(leftovers.descriptors() <= before)
  end)
end)
