---`make install` and its way back, on a copy of the tree, and what make says where something is missing.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"

if process.is_sanitized then return end -- what make builds in the copy has no sanitizer

describe("make", function()
  local copy

  setup(function()
    copy = Directory.make_in_memory()
    -- what is compiled is the same in any folder, which `make reproducible` holds
    local line = [[mkdir "$0/build" && cp -a Makefile LICENSE README.md .ci docs src lua scripts "$0" &&
      cp -a build/obj build/lua "$0/build"]]
    process.run({ "/bin/sh", "-c", line, copy.path }, { tool = true }):ends(0)
  end)

  teardown(function() copy:remove() end)

  ---Packages are compressed as fast as can be: what they are compressed with is dpkg's.
  local function shell(line, variables)
    local env = { DPKG_DEB_COMPRESSOR_TYPE = "gzip", DPKG_DEB_COMPRESSOR_LEVEL = "1" }
    for name, value in pairs(variables or {}) do env[name] = value end
    return process.run({ "/bin/sh", "-c", line }, { cwd = copy.path, tool = true, env = env, longest = 900 })
  end

  local function succeed(line, variables)
    local done = shell(line, variables)
    assert.equal(0, done.code, line .. "\n" .. done.stdout .. done.stderr)
    return done.stdout
  end

  it("installs what everybody may read and run, whatever the umask", function()
    succeed "umask 077; make -j2 install DESTDIR=$PWD/root PREFIX=/opt/bide"
    assert.equal("", succeed "find root/opt/bide -type d ! -perm 755 -o -type f ! -perm -444")
    assert.equal("", succeed "find root/opt/bide -name '*.so' ! -perm 644 -o -path '*/bin/*' ! -perm 755")
    assert.matches("^bide %d", succeed "root/opt/bide/bin/bide --version")
    assert.matches("ServiceHealthy", succeed "root/opt/bide/bin/bide list http")
    assert.matches("CertificateValidated", succeed "root/opt/bide/bin/bide aws acm")
    assert.matches("Apache License", succeed "cat root/opt/bide/share/bide/scripts/aws/NOTICE")
    assert.matches("MIT License", succeed "cat root/opt/bide/share/bide/lua/argparse.lua")
    local found = succeed [[echo 'print(require("bide").load("http").file)' | root/opt/bide/bin/bide exec -]]
    assert.matches("root/opt/bide/lib/bide/scripts/http.lua\n$", found)
    assert.matches("complete %-o default %-F _bide bide", succeed "cat root/opt/bide/share/bash-completion/completions/bide")
    assert.matches("^#compdef bide", succeed "cat root/opt/bide/share/zsh/site-functions/_bide")
    assert.matches("complete %-c bide", succeed "cat root/opt/bide/share/fish/vendor_completions.d/bide.fish")
    assert.matches("^%.TH BIDE 1", succeed "cat root/opt/bide/share/man/man1/bide.1")
    assert.matches("^# bide", succeed "cat root/opt/bide/share/doc/bide/README.md")
    assert.matches("^# Journals", succeed "cat root/opt/bide/share/doc/bide/docs/reference/journals.md")
    assert.matches("^# The bundled recipes", succeed "mv docs away && root/opt/bide/bin/bide help recipes; mv away docs")
    assert.matches("^# Journals", succeed "root/opt/bide/bin/bide help journals")
  end)

  it("fails where a file cannot be written", function()
    succeed "mkdir -p full/opt/bide/share/bide/scripts/http.lua/http.lua"
    assert.not_equal(0, shell("make install DESTDIR=$PWD/full PREFIX=/opt/bide").code)
  end)

  it("installs no module that has been deleted", function()
    succeed "echo 'return 1' > lua/bide/zombie.lua; make; rm lua/bide/zombie.lua; make install DESTDIR=$PWD/root PREFIX=/opt/bide"
    assert.equal("", succeed "find build/lua root -name 'zombie*'")
  end)

  it("uninstalls all of it", function()
    succeed "make install DESTDIR=$PWD/root PREFIX=/opt/bide && make uninstall DESTDIR=$PWD/root PREFIX=/opt/bide"
    assert.equal("", succeed "find root -type f -o -type l")
  end)

  it("hardens what it links", function()
    for _, file in ipairs { "bide", "lib/bide/core.so", "lib/bide/transfer.so", "lib/bide/sqlite.so", "lib/bide/digest.so",
      "lib/bide/secure.so" } do
      assert.matches("BIND_NOW", succeed("readelf -d build/" .. file))
      assert.matches("GNU_RELRO", succeed("readelf -l build/" .. file))
    end
    assert.matches("Type:%s+DYN", succeed "readelf -h build/bide")
    assert.matches("__stack_chk_fail", succeed "nm -D build/lib/bide/core.so")
  end)

  ---The symbols of a library that begin with "bide_" or "luaopen_", sorted, a line each.
  local function symbols(which, ...)
    local files = "build/lib/bide/" .. table.concat({ ... }, ".so build/lib/bide/") .. ".so"
    return succeed(("nm -D --%s-only %s | grep -o ' \\(bide_\\|luaopen_\\).*' | sort -u"):format(which, files))
  end

  it("makes a package that runs, and that depends on each library that it is linked with", function()
    if process.run({ "/bin/sh", "-c", "command -v dpkg-deb" }, { tool = true }).code ~= 0 then
      return pending "dpkg-deb is missing: install the package dpkg"
    end
    local function package()
      return succeed "SOURCE_DATE_EPOCH=1700000000 make deb >/dev/null && sha256sum build/bide_*.deb"
    end
    local first = package()
    assert.equal(first, (package())) -- a second or more later
    succeed "! grep -l \"$PWD\" build/bide build/lib/bide/*.so" -- in another folder it is the same as well
    succeed "dpkg-deb -x build/bide_*.deb unpacked"
    assert.equal("", succeed("for file in unpacked/usr/bin/bide unpacked/usr/lib/bide/bide/*.so; do readelf -S $file; done"
      .. " | grep debug_info || true"))
    assert.matches("^bide %(%S+%) ", succeed "zcat unpacked/usr/share/doc/bide/changelog.gz")
    assert.matches("common-licenses/Apache-2.0", succeed "cat unpacked/usr/share/doc/bide/copyright", 1, true)
    assert.matches("MIT", succeed "cat unpacked/usr/share/doc/bide/LICENSE", 1, true)
    local version = succeed("unpacked/usr/bin/bide --version"):match "^bide (%S+)"
    assert.equal(version .. "\n", succeed "dpkg-deb -f build/bide_*.deb Version")
    assert.matches("^%.TH BIDE 1", succeed "zcat unpacked/usr/share/man/man1/bide.1.gz")
    local depends = ", " .. succeed("dpkg-deb -f build/bide_*.deb Depends"):gsub("\n", "") .. ","
    local needed = succeed("for file in unpacked/usr/bin/bide unpacked/usr/lib/bide/bide/*.so; do objdump -p $file; done"
      .. " | sed -n 's/ *NEEDED *//p' | sort -u")
    for library in needed:gmatch "%S+" do
      local owners, is_named = succeed("dpkg -S '*/" .. library .. "' 2>/dev/null || true"), library == "core.so"
      for owner in owners:gmatch "[^\n:]+" do is_named = is_named or depends:find(", " .. owner .. ",", 1, true) ~= nil end
      assert.is_true(is_named, ("%s is in %s, none of which is in Depends:%s"):format(library, owners, depends))
    end
  end)

  it("makes packages with the time of the last commit where SOURCE_DATE_EPOCH is not set", function()
    if process.run({ "/bin/sh", "-c", "command -v dpkg-deb git" }, { tool = true }).code ~= 0 then
      return pending "dpkg-deb or git is missing: install the packages dpkg and git"
    end
    succeed("git init -q . && git add LICENSE && GIT_COMMITTER_DATE='1600000000 +0000' "
      .. "git -c user.name=a -c user.email=a@b commit -q -m one")
    for _, unset in ipairs { false, "" } do
      succeed("make deb >/dev/null", { SOURCE_DATE_EPOCH = unset })
      assert.matches("Sun, 13 Sep 2020 12:26:40", succeed "zcat build/deb/usr/share/doc/bide/changelog.gz", 1, true)
      assert.equal("", succeed "find build/deb -newermt @1600000000")
    end
    succeed "rm -rf .git"
  end)

  it("exports what other modules use of core.so, what Lua opens, and what the sweep knows by name", function()
    local used = symbols("undefined", "transfer", "sqlite", "digest", "secure", "xml")
    assert.equal(used .. " luaopen_bide_core\n", symbols("defined", "core"))
    for name, most in pairs { transfer = 5, sqlite = 1, digest = 1, secure = 1, walls = 1, xml = 1 } do
      local exported = tonumber((succeed(("nm -D --defined-only build/lib/bide/%s.so | wc -l"):format(name))))
      assert.is_true(exported <= most, name .. " exports " .. exported)
    end
    assert.equal("0\n", succeed "nm -D --defined-only build/bide | wc -l")
  end)

  it("names what is missing, and installs nothing", function()
    succeed "mkdir -p bin && printf '#!/bin/sh\\necho called >>apt.log\\n' >bin/apt-get && chmod +x bin/apt-get"
    local done = shell("PATH=$PWD/bin:$PATH make -B", { LUV_PC = "no-such-luv" })
    assert.not_equal(0, done.code)
    assert.matches("missing, by the names of Debian's packages:.* lua%-luv%-dev", done.stderr)
    assert.equal("", succeed "cat apt.log 2>/dev/null || true")
  end)

  it("needs no dpkg and no apt where nothing is missing", function()
    succeed("mkdir -p none && for name in dpkg-query apt-get; do "
      .. "printf '#!/bin/sh\\necho called >>none/log\\n' >none/$name; chmod +x none/$name; done")
    succeed "PATH=$PWD/none:$PATH; export PATH; .ci/deps build && .ci/deps --name test" -- without the data of other projects
    assert.equal("", succeed "cat none/log 2>/dev/null || true")
  end)
end)
