---Writes what the static program is made of, as SPDX 2.3 in JSON, from src/release/sources.lock.
---
---    lua src/release/sbom.lua VERSION SECONDS SHA-256-OF-THE-PROGRAM <sources.lock >bide.spdx.json

local version, seconds, digest = table.unpack(arg)
assert(digest and #digest == 64, "expected the version, the time in seconds, and the SHA-256 of the program")

---@class release.Package
---@field name string
---@field version string
---@field digest string of the upstream's file

---@type release.Package[]
local packages, of_name = {}, {}
for line in io.lines() do
  local name, upstream, _, file, sha = line:match "^([^#%s]%S*) (%S+) (%S+) (%S+) (%x+)$"
  if name and not of_name[name] then
    of_name[name] = { name = name, version = upstream }
    packages[#packages + 1] = of_name[name]
  end
  local is_source = name and not (file:find "%.dsc$" or file:find "%.debian%." or file:find "%-www%." or file:find "%.diff%.")
  if is_source then of_name[name].digest = sha end
end
assert(#packages > 0, "the lock names no package")

local function reference(name) return "SPDXRef-" .. name:gsub("[^%w.]", "-") end

local function package_of(one, purpose, locator)
  return ([[    {"SPDXID": "%s", "name": "%s", "versionInfo": "%s",
     "primaryPackagePurpose": "%s", "filesAnalyzed": false,
     "downloadLocation": "NOASSERTION", "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
     "checksums": [{"algorithm": "SHA256", "checksumValue": "%s"}]%s}]]):format(reference(one.name), one.name, one.version,
    purpose, one.digest, locator and ([[,
     "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "%s"}]
    ]]):format(locator) or "")
end

local function relation(from, kind, to)
  return ('    {"spdxElementId": "%s", "relationshipType": "%s", "relatedSpdxElement": "%s"}'):format(from, kind, to)
end

local lines, relations = {}, { relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-bide") }
lines[1] = package_of({ name = "bide", version = version, digest = digest }, "APPLICATION")
for _, one in ipairs(packages) do
  local is_tool = one.name == "ziglang"
  lines[#lines + 1] = package_of(one, is_tool and "APPLICATION" or "SOURCE",
    is_tool and ("pkg:pypi/%s@%s"):format(one.name, one.version)
    or ("pkg:deb/debian/%s@%s?arch=source"):format(one.name, one.version:gsub("[:+~]", { [":"] = "%3A", ["+"] = "%2B", ["~"] = "~" })))
  relations[#relations + 1] = is_tool and relation(reference(one.name), "BUILD_TOOL_OF", "SPDXRef-bide")
    or relation("SPDXRef-bide", "STATIC_LINK", reference(one.name))
end

print(([[{
  "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "bide-%s",
  "documentNamespace": "urn:sha256:%s",
  "creationInfo": {"created": "%s", "creators": ["Tool: bide-make-release"]},
  "packages": [
%s
  ],
  "relationships": [
%s
  ]
}]]):format(version, digest, os.date("!%Y-%m-%dT%H:%M:%SZ", math.tointeger(tonumber(seconds))), table.concat(lines, ",\n"),
  table.concat(relations, ",\n")))
