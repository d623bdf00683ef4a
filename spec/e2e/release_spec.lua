---What gathers a release, and what lays out its sources: digests, parts, provenance, signatures, and what is said where
---something is missing. Small files stand for the artefacts.

local Directory = require "spec.support.directory"
local json = require("bide.core").json
local process = require "spec.support.process"

if process.is_sanitized then return end -- nothing here is built for it

local VERSION = "1.2.3"

---The files that gather takes, by their folders.
local made = {
  ["build/static/bide"] = "static", ["build/static/aarch64/bide"] = "for aarch64",
  ["build/bundle/bide-1.2.3-linux-x86_64-glibc.tar.gz"] = "bundle",
  ["build/image/bide/index.json"] = "{}", ["build/image/bide-shell/index.json"] = "{}", ["build/image/bide.spdx.json"] = "{}",
  ["build/release/licenses.txt"] = "licenses", ["build/bide_1.2.3_amd64.deb"] = "deb",
}

describe("a release", function()
  local directory = Directory.of_each()

  local function shell(line, env)
    return process.run({ "sh", "-c", line }, { tool = true, cwd = directory.path, env = env })
  end

  local function succeed(line, env)
    local done = shell(line, env)
    assert.equal(0, done.code, line .. "\n" .. done.stdout .. done.stderr)
    return done.stdout
  end

  before_each(function()
    local copied = process.run({ "cp", "-R", "--parents", "src/release", directory.path }, { tool = true })
    assert(copied.code == 0, copied.stderr)
    for name, text in pairs(made) do
      succeed("mkdir -p " .. name:match "^.*/")
      directory:write(name, text)
    end
  end)

  local GATHER = "SOURCE_DATE_EPOCH=1 src/release/gather " .. VERSION

  it("has digests of all its files, and says where they come from", function()
    succeed(GATHER)
    succeed "cd build/artefacts && sha256sum --quiet --check SHA256SUMS"
    local files = tonumber((succeed "ls build/artefacts | wc -l"))
    assert.equal(files - 1, tonumber((succeed "wc -l <build/artefacts/SHA256SUMS")))
    local provenance = json.decode(directory:read "build/artefacts/bide-1.2.3.provenance.json")
    assert.equal("https://in-toto.io/Statement/v1", provenance._type)
    local digests = {}
    for digest, name in directory:read("build/artefacts/SHA256SUMS"):gmatch "(%x+)  (%S+)" do digests[name] = digest end
    for _, subject in ipairs(provenance.subject) do assert.equal(digests[subject.name], subject.digest.sha256, subject.name) end
    assert.equal(files - 2, #provenance.subject) -- all but the digests and the statement itself
    local sources = provenance.predicate.buildDefinition.resolvedDependencies
    local _, locked = directory:read("src/release/sources.lock"):gsub("\n[^#]", "")
    assert.equal(1 + locked, #sources)
  end)

  it("is the same at another time, and in another folder", function()
    succeed(GATHER)
    local first = directory:read "build/artefacts/SHA256SUMS"
    succeed("sleep 1.1; find build -exec touch {} +; mkdir -p other/folder && cp -R src build other/folder && cd other/folder && "
      .. "umask 077 && TZ=Asia/Tokyo " .. GATHER)
    assert.equal(first, directory:read "other/folder/build/artefacts/SHA256SUMS")
  end)

  it("is signed where a key is given, and verified as the page says", function()
    if process.run({ "sh", "-c", "command -v ssh-keygen" }, { tool = true }).code ~= 0 then
      return pending "ssh-keygen is missing: install the package openssh-client"
    end
    succeed "ssh-keygen -q -t ed25519 -N '' -C releaser@example.org -f key"
    succeed(GATHER .. " key")
    succeed "echo \"releaser@example.org $(cut -d ' ' -f 1,2 key.pub)\" >build/artefacts/allowed_signers"
    local handle <close> = assert(io.open "docs/reference/static.md")
    local line = handle:read("a"):match "\n(ssh%-keygen %-Y verify [^\n]*)\n":gsub("IDENTITY", "releaser@example.org")
    assert.matches("Good", succeed("cd build/artefacts && " .. line))
    succeed "echo >>build/artefacts/SHA256SUMS"
    assert.not_equal(0, shell("cd build/artefacts && " .. line).code)
  end)

  it("says what is missing in one line, and leaves the older artefacts alone", function()
    succeed(GATHER)
    local before = directory:read "build/artefacts/SHA256SUMS"
    local done = shell(GATHER .. " nowhere")
    assert.not_equal(0, done.code)
    assert.equal("release: KEY=nowhere: no such file that can be read\n", done.stderr)
    assert.not_equal(0, shell("src/release/gather " .. VERSION, { SOURCE_DATE_EPOCH = false }).code)
    succeed "rm build/static/bide"
    assert.not_equal(0, shell(GATHER).code)
    assert.equal(before, directory:read "build/artefacts/SHA256SUMS")
  end)

  it("takes its sources from a folder, each as the lock has it", function()
    local function lay_out(folder)
      local done = shell("src/release/sources lay-out " .. folder)
      assert.not_equal(0, done.code)
      return done.stderr
    end
    directory:write("src/release/sources.lock", "# a lock\nlua5.4 5.4.4-3 dsc lua.tar.gz " .. ("0"):rep(64) .. "\n")
    assert.equal("release: SOURCES=none: no such folder\n", lay_out "none")
    succeed "mkdir kept"
    assert.matches("^release: kept has no lua.tar.gz, which the lock names\n$", lay_out "kept")
    directory:write("kept/lua.tar.gz", "another")
    assert.matches("^release: kept/lua.tar.gz is not the file of the lock: its SHA%-256 differs\n$", lay_out "kept")
    assert.matches("^0\n", succeed "ls build/release/sources | wc -l")
  end)
end)
