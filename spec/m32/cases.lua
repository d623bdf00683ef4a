---Writes the cases that the 32-bit build runs, for a program without Lua: the official JMESPath
---suite, and the specs' tables of texts and answers.
---
---    lua5.4 spec/m32/cases.lua > cases
---
---A case is a letter and its fields, each as "LENGTH:BYTES", so that a text may hold anything:
---    r TEXT WRITTEN            the reader accepts TEXT, and WRITTEN is written again
---    x TEXT MESSAGE            the reader refuses TEXT
---    s EXPRESSION GIVEN RESULT the search gives RESULT; "" is any
---    e EXPRESSION GIVEN KIND   it fails with an error of that kind

local core = require "bide.core"
local data = require "spec.support.data"
local texts = require "spec.unit.json.texts"

local json = core.json

local function write(letter, ...)
  io.write(letter)
  for _, field in ipairs { ... } do io.write(#field, ":", field) end
  io.write "\n"
end

local function write_answers()
  for _, group in pairs(require "spec.unit.jmespath.answers") do
    for _, case in ipairs(group) do
      write(case.error and "e" or "s", case[1], case[2], case.error or case[3])
    end
  end
end

local function write_suite(text)
  for _, group in ipairs(assert(json.decode(text))) do
    local given = json.encode(group.given)
    for _, case in ipairs(group.cases) do
      local wanted = case.error or case.bench and "" or json.encode(case.result)
      write(case.error and "e" or "s", case.expression, given, wanted)
    end
  end
end

for _, case in ipairs(texts.taken) do write("r", case[1], case[2]) end
for _, case in ipairs(texts.predictions) do write("r", case[1], case[2] or case[1]) end
for _, case in ipairs(texts.refused) do write("x", case[1], case[2]) end
write_answers()
for _, name in ipairs(data.jmespath()) do write_suite(data.read(name)) end
