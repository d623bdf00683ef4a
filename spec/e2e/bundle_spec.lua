---The program of `make bundle`: what it needs of the system, and that it runs wherever its folder is. Each spec is pending
---where it was not made.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local process = require "spec.support.process"
local uv = require "luv"

---The libraries that glibc itself consists of.
local is_of_glibc = { libc = true, libm = true, libpthread = true, libdl = true, librt = true, ["ld-linux-x"] = true }

---What every program shows.
local of_programs = {
  _start = true, main = true, __data_start = true, _IO_stdin_used = true, __libc_csu_init = true, __libc_csu_fini = true,
}

---Returns the archive that was made last.
local function find_archive()
  local scan = uv.fs_scandir "build/bundle"
  for name in function() return scan and uv.fs_scandir_next(scan) end do
    if name:find "%-linux%-x86_64%-glibc%.tar%.gz$" then return "build/bundle/" .. name end
  end
end

describe("the bundle", function()
  local archive = find_archive()
  if not archive then return pending "make bundle made no build/bundle/bide-VERSION-linux-x86_64-glibc.tar.gz" end

  local directory = Directory.of_block()
  local folder, program

  setup(function()
    folder = directory.path .. "/with a blank"
    assert(uv.fs_mkdir(folder, tonumber("755", 8)))
    local unpacked = process.run({ "tar", "-xzf", archive, "-C", folder, "--strip-components=1" }, { tool = true })
    assert(unpacked.code == 0, unpacked.stderr)
    program = folder .. "/bin/bide"
  end)

  local function run(words, options)
    return process.run(table.move(words, 1, #words, 2, { program }), options)
  end

  it("asks for no symbol of a C library after 2.31, and for no library but its parts", function()
    local symbols = process.run({ "readelf", "--wide", "--dyn-syms", program }, { tool = true }).stdout
    local count = 0
    for version in symbols:gmatch "@GLIBC_(2%.%d+)" do
      assert.is_true(tonumber(version:match "%d+$") <= 31, version)
      count = count + 1
    end
    assert.is_true(count > 100)
    for library in process.run({ "readelf", "--dynamic", program }, { tool = true }).stdout:gmatch "NEEDED.-%[(.-)%]" do
      assert.truthy(is_of_glibc[library:match "^[%a-]+"], library)
    end
  end)

  it("gives Lua's functions to C modules, and no others", function()
    local symbols, has_lua = process.run({ "readelf", "--wide", "--dyn-syms", program }, { tool = true }).stdout, false
    for name in symbols:gmatch "GLOBAL DEFAULT +%d+ ([%w_]+)\n" do
      assert.truthy(name:find "^lua" or of_programs[name], name)
      has_lua = has_lua or name == "lua_newuserdatauv"
    end
    assert.is_true(has_lua)
    directory:write("given.c", [[
void lua_pushinteger(void *L, long long number);
int luaopen_given(void *L) { lua_pushinteger(L, 42); return 1; }
]])
    local place = directory.path .. "/given"
    process.run({ "cc", "-shared", "-fPIC", "-o", place .. ".so", place .. ".c" }, { tool = true }):ends(0)
    local script = directory:write("asks.lua", "print((require 'given'))")
    local done = run({ "exec", script }, { env = { LUA_CPATH = directory.path .. "/?.so" } })
    assert.equal("42\n", done.stdout, done.stderr)
  end)

  it("waits, searches, checks, and has what it needs within it", function()
    local server = Server.start(function() return { body = "{}" } end)
    local done = run { "http", server.url:gsub("127%.0%.0%.1", "localhost"), "--max-wait", "50s" }
    server:close()
    assert.equal(0, done.code, done.stderr)
    assert.equal('"two"\n', run({ "query", "--sandbox", "a[1]" }, { stdin = '{"a":[1,"two"]}' }).stdout)
    local trait = directory:write("trait.json", [[{ "Done": { "acceptors": [ { "state": "success",
      "matcher": { "success": true } } ] } }]])
    assert.equal(0, run({ "check", trait }).code)
    assert.matches("Amazon Relational Database Service", run({ "aws" }).stdout, 1, true)
    assert.matches("^# ", run({ "help", "recipes" }).stdout)
    local file <close> = assert(io.open(folder .. "/share/man/man1/bide.1"))
    assert.matches(".TH BIDE 1", file:read "a", 1, true)
  end)

  it("runs in a folder that is mounted read only, as any user", function()
    if uv.getuid() ~= 0 then return pending "only root may mount, and be another user" end
    assert(uv.fs_chmod(directory.path, tonumber("755", 8)))
    local line = 'mount --bind -o ro "$0" "$0" && ! touch "$0/file" && '
      .. 'exec setpriv --reuid=65532 --regid=65532 --clear-groups "$0/bin/bide" query a'
    local done = process.run({ "unshare", "--mount", "sh", "-c", line, folder },
      { tool = true, stdin = '{"a":1}', env = { HOME = "/nowhere" } })
    assert.matches("Read-only file system", done.stderr, 1, true)
    assert.equal("1\n", done.stdout, done.stderr)
  end)
end)
