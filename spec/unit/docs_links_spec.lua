---Links between the pages lead to files and headings that exist, and the index of docs leads to every page.

local pages = require "spec.support.pages"
local uv = require "luv"

---Returns the anchor that GitHub gives a heading.
local function anchor_of(heading)
  return (heading:lower():gsub("[^%w%-_ ]", ""):gsub(" ", "-"))
end

---Returns the links of a page and the anchors of its headings.
---@return string[] links
---@return table<string, boolean> anchors
local function read(page)
  local links, anchors, is_example = {}, {}, false
  for line in io.lines(page) do
    if line:find "^%s*```" then is_example = not is_example end
    local heading = not is_example and line:match "^#+ (.*)"
    if heading then anchors[anchor_of(heading)] = true end
    if not is_example then
      for link in line:gsub("`[^`]*`", ""):gmatch "%]%(([^)%s]+)%)" do links[#links + 1] = link end
    end
  end
  return links, anchors
end

---Returns the path of a link's file, seen from a page.
local function path_of(page, link)
  local path = link == "" and page or page:gsub("[^/]*$", "") .. link
  local shorter
  repeat
    path, shorter = path:gsub("[^/.]+/%.%./", "", 1)
  until shorter == 0
  return path
end

describe("the documentation", function()
  local links_of, anchors_of = {}, {}
  for _, page in ipairs(pages.all()) do links_of[page], anchors_of[page] = read(page) end

  for page, links in pairs(links_of) do
    it(("has links in %s to what exists"):format(page), function()
      for _, link in ipairs(links) do
        local file, anchor = link:match "^([^#]*)#?(.*)$"
        if not file:find "^%a+:" then
          local path = path_of(page, file)
          assert(uv.fs_stat(path), ("%s: %s leads to no file"):format(page, link))
          assert(anchor == "" or anchors_of[path] and anchors_of[path][anchor], ("%s: %s leads to no heading"):format(page, link))
        end
      end
    end)
  end

  it("has an index that leads to every page", function()
    local listed = {}
    for _, index in ipairs { "docs/README.md", "docs/recipes.md", "docs/api/README.md" } do
      for _, link in ipairs(links_of[index]) do listed[path_of(index, (link:gsub("#.*", "")))] = true end
    end
    for page in pairs(links_of) do
      assert(listed[page] or page:find "README%.md$", page .. " is not in docs/README.md")
    end
  end)
end)
