---Conformance data that is not part of the project: $BIDE_DATA, by default
---../shared/data from the project's root.
local M = {}

M.folder = os.getenv("BIDE_DATA") or "../shared/data"

M.hint = "is absent: set BIDE_DATA to a folder with jmespath/*.json from "
  .. "https://github.com/jmespath/jmespath.test (the files of tests/)"

---The files of the JMESPath compliance suite.
M.jmespath = {
  "basic", "benchmarks", "boolean", "current", "escape", "filters", "functions", "identifiers",
  "indices", "literal", "multiselect", "pipe", "slice", "syntax", "unicode", "wildcard",
}

---The text of a file of the data; nil where it is absent.
function M.read(name)
  local file = io.open(M.folder .. "/" .. name, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

return M
