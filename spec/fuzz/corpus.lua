---Writes the seeds of the fuzz targets, taken from the specs: lua5.4 spec/fuzz/corpus.lua FOLDER

local answers = require "spec.unit.jmespath.answers"
local texts = require "spec.unit.json.texts"

local folder = assert(arg[1], "usage: corpus.lua FOLDER")
local count = 0

local function seed(target, content)
  if #content > 4096 then return end
  count = count + 1
  local file = assert(io.open(("%s/%s/%04d"):format(folder, target, count), "wb"))
  file:write(content)
  file:close()
end

for _, cases in pairs(answers) do
  for _, case in ipairs(cases) do
    seed("expression", case[1])
    seed("search", case[1] .. "\0" .. case[2])
    seed("json", case[2])
  end
end
for _, text in ipairs {
  "", "https://u:%2B@h/?token=&q=&amp;", 'Bearer {"password": "\\\\u0026"}', "Server=x;Password=a;", "+&#43;\\\\",
} do
  seed("secret", "\12pa+ss wo%&\\\"d" .. text)
end
for _, cases in pairs(texts) do
  for _, case in ipairs(cases) do seed("json", case[1]) end
end
