---The image of `make image`: its folder is of the OCI's layout, and what it unpacks to runs. Each spec is pending where it
---was not made.

local Directory = require "spec.support.directory"
local core = require "bide.core"
local podman = require "spec.support.podman"
local process = require "spec.support.process"
local digest = require "bide.digest"
local uv = require "luv"

local IMAGE = "build/image/bide"

local function read(name)
  local file <close> = assert(io.open(IMAGE .. "/" .. name, "rb"))
  return file:read "a"
end

---Returns the text of a blob, which must be what its descriptor says.
local function blob(descriptor)
  local text = read("blobs/" .. descriptor.digest:gsub(":", "/"))
  assert.equal(descriptor.size, #text)
  assert.equal(descriptor.digest, "sha256:" .. core.text.hex(digest.sha256(text)))
  return text
end

describe("the image", function()
  local lack = not uv.fs_stat(IMAGE .. "/index.json") and "make image made no " .. IMAGE

  local function made(name, check)
    it(name, function()
      if lack then return pending(lack) end
      check()
    end)
  end

  made("has blobs that are what their digests say, and together at most 10 MB", function()
    local manifest = core.json.decode(blob(core.json.decode(read "index.json").manifests[1]))
    local config = core.json.decode(blob(manifest.config))
    assert.equal("65532:65532", config.config.User)
    assert.same({ "/usr/bin/bide" }, config.config.Entrypoint)
    assert.is_string(config.config.Labels["org.opencontainers.image.version"])
    assert.equal(1, #manifest.layers)
    assert.is_true(#blob(manifest.layers[1]) <= 10 * 1000 * 1000)
  end)

  made("runs as any user, in a root of its own that is read only", function()
    if uv.getuid() ~= 0 then return pending "only root may enter another root" end
    local folder = assert(uv.fs_mkdtemp(uv.os_tmpdir() .. "/bide-image-XXXXXX"))
    assert(uv.fs_chmod(folder, tonumber("755", 8)))
    local manifest = core.json.decode(blob(core.json.decode(read "index.json").manifests[1]))
    local layer = IMAGE .. "/blobs/" .. manifest.layers[1].digest:gsub(":", "/")
    assert.equal(0, process.run({ "tar", "-xzf", layer, "-C", folder }, { tool = true }).code)
    local plain = { HOME = false, CURL_CA_BUNDLE = false, SSL_CERT_FILE = false, SSL_CERT_DIR = false }
    local line = 'mount --bind -o ro "$0" "$0" && user=$1 && shift && exec chroot --userspec=$user "$0" /usr/bin/bide "$@"'
    local function run(user, ...)
      return process.run({ "unshare", "--mount", "sh", "-c", line, folder, user, ... },
        { tool = true, env = plain, stdin = '{"a":3}' })
    end
    for _, user in ipairs { "65532:65532", "54321:0" } do
      local done = run(user, "query", "a")
      assert.equal("3\n", done.stdout, done.stderr)
    end
    local found = run("54321:0", "doctor").stdout
    assert.matches("certificates in /etc/ssl/certs/ca-certificates.crt", found, 1, true)
    assert.matches("/tmp cannot be used", found, 1, true)
    process.run({ "rm", "-rf", folder }, { tool = true })
  end)

  made("is one to the tools of registries", function()
    local version = require "bide.version"
    local image = ("%s:%s"):format(IMAGE, version)
    local has_tools = process.run({ "sh", "-c", "command -v skopeo && command -v umoci" }, { tool = true }).code == 0
    if not has_tools then return pending "skopeo or umoci is missing: install the packages skopeo and umoci" end
    local inspected = process.run({ "skopeo", "inspect", "oci:" .. image }, { tool = true })
    local labels = core.json.decode(inspected.stdout).Labels
    assert.equal(version, labels["org.opencontainers.image.version"], inspected.stderr)
    local directory = Directory.make()
    local unpacked = process.run({ "umoci", "unpack", "--rootless", "--image", image, directory.path .. "/unpacked" },
      { tool = true })
    assert.equal(0, unpacked.code, unpacked.stderr)
    assert.equal("regular file\n",
      process.run({ "stat", "-c", "%F", directory.path .. "/unpacked/rootfs/usr/bin/bide" }, { tool = true }).stdout)
    process.run({ "rm", "-rf", directory.path }, { tool = true })
  end)

  made("runs in Podman, as any user and read only", function()
    local engine, missing = podman.start()
    if not engine then return pending(missing) end
    local done = engine:try("run", "--rm", "--user", "54321:0", "--read-only", "--network", "host", "--ulimit",
      "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "oci:" .. uv.fs_realpath(IMAGE), "doctor", "--output",
      "json")
    engine:stop()
    done:prints(0, "certificates in /etc/ssl/certs/ca-certificates.crt")
  end)
end)
