---The types of operation errors on their page: all that bide raises, and which of them are transient.

local error_class = require "bide.error_class"
local read = require "spec.support.read"
local uv = require "luv"

local function files_below(folder, pattern, files)
  for name, kind in uv.fs_scandir_next, assert(uv.fs_scandir(folder)) do
    local path = folder .. "/" .. name
    if kind == "directory" then files_below(path, pattern, files) elseif path:find(pattern) then files[#files + 1] = path end
  end
  return files
end

---Whether each type of the table is transient, as its row says.
local function documented()
  local types = {}
  for names, _, transient in read("docs/reference/errors.md"):gmatch "\n| ([^|]+) | ([^|]+) | (%a+)" do
    for name in names:gmatch "`(%w+)`" do types[name] = types[name] or transient == "yes" end
  end
  return types
end

---Texts in quotes that look like the name of an error: AsThis.
local function add_names(text, pattern, names)
  for line in text:gmatch "[^\n]+" do
    local code = line:gsub("%-%-.*", "")
    for name in code:gmatch(pattern) do names[name] = true end
  end
end

local NAME = '"(%u%l+%u%l[%a]*)"'

describe("docs/reference/errors.md", function()
  local types = documented()

  it("names each type that bide raises", function()
    local raised = {}
    for _, file in ipairs(files_below("lua/bide", "%.lua$", {})) do
      local has_own_names = file:find "^lua/bide/model/aws/" or file:find "/kubernetes" or file:find "/kafka"
        or file:find "/systemd/bus" or file:find "/starting_point" or file:find "/wait/absences"
      if has_own_names then -- of services, of their methods, and of waiters
        add_names(read(file), "type = " .. NAME, raised)
      elseif not file:find "^lua/bide/model/check/" then -- the ids of lints look like names of errors
        add_names(read(file), NAME, raised)
      end
    end
    for _, file in ipairs(files_below("src/net", "/http[%w_]*%.c$", {
      "src/host/values/response.c", "src/host/api/http.c", "src/host/api/http_options.c",
    })) do
      add_names(read(file), NAME, raised)
    end
    for _, file in ipairs(files_below("scripts", "%.lua$", {})) do add_names(read(file), "type = " .. NAME, raised) end
    assert.is_true(raised.TlsFailure and raised.InvalidResponse and raised.QueueNotFound)
    for name in pairs(raised) do assert(types[name] ~= nil, name .. " is raised, and stands in no row of the table") end
  end)

  for name, transient in pairs(types) do
    it(("says rightly of %s whether it is transient: %s"):format(name, transient), function()
      assert.equal(transient, error_class.is_transient { type = name })
    end)
  end
end)
