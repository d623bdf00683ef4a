---The form of lines of recordings: a line made by it says what one that is made member by member says, or there is none.

local core = require "bide.core"
local uv = require "luv"

local json, recording, response = core.json, core.recording, core.response

local LIMIT <const> = 1 << 20
local LINES <const> = "Date: Mon, 02 Jan 2006 15:04:05 GMT\r\nLast-Modified: Mon, 02 Jan 2006 15:04:05 GMT\r\n"
local HEADERS <const> = '{"date":"Mon, 02 Jan 2006 15:04:05 GMT","last-modified":"Mon, 02 Jan 2006 15:04:05 GMT"}'

local function read(text) return assert(json.read(text)) end

---Returns a form without a request, and the mask.
local function form_of(names, values)
  local mask = core.secret.mask(names)
  for _, value in ipairs(values or {}) do mask:add(value) end
  local first = read '{"first":1}'
  return recording.form(mask, first, '{"first":1}', "", LIMIT), mask
end

local function answer(body, lines, status) return response.make(status or 200, "http://a", lines or LINES, body) end

---Returns a form of answers over HTTP whose last body is this one, and the mask.
local function form_of_answer(body, names, limit)
  local mask, first = core.secret.mask(names), answer(body)
  local document = first:document()
  local form = recording.form(mask, document, document:json { redact = mask }, ',"requests":[{"response_headers":',
    limit or LIMIT, 200)
  form:headers(LINES, HEADERS)
  return form, first
end

local path = os.tmpname()
local descriptor = assert(uv.fs_open(path, "w+", 384))

---Returns the line that a form makes, as it is written, or nil and the reason why there is none.
local function made(form, ...)
  local own, differ = form:line(nil, ...)
  if not own then return nil, differ end
  assert.equal(form, own)
  uv.fs_ftruncate(descriptor, 0)
  local size = recording.append(descriptor, form)
  local text = uv.fs_read(descriptor, size + 1, 0)
  assert.equal(size, #text)
  uv.fs_close(descriptor)
  descriptor = assert(uv.fs_open(path, "w+", 384))
  return text
end

local function line_of(form, one) return made(form, (one:document()), one, 2, 1500, 20) end

describe("the form of lines of a recording", function()
  lazy_teardown(function()
    uv.fs_close(descriptor)
    os.remove(path)
  end)

  it("has the times in seconds, and the output", function()
    assert.equal('{"attempt":7,"at":61.005,"duration":0.120,"output":{"a":[1,"b",null,true,2.5,{}]}}\n',
      made(form_of(), read '{"a":[1,"b",null,true,2.5,{}]}', nil, 7, 61005, 120))
  end)

  it("repeats the last output as it was written, with what was redacted in it", function()
    local mask, output = core.secret.mask(), read '{"password":"hunter2hunter2"}'
    local form = recording.form(mask, output, output:json { redact = mask }, ',"status":200', LIMIT)
    assert.equal('{"attempt":1,"at":0.000,"duration":0.000,"output":{"password":"[redacted]"},"status":200}\n',
      made(form, output, nil, 1, 0, 0))
    assert.is_nil(form:line(nil, read '{"password":"hunter3hunter3"}', nil, 2, 0, 0))
    assert.is_nil(form:line(nil, read '"a text"', nil, 3, 0, 0))
    assert.truthy(form:line(nil, read '{"a":1}', nil, 4, 0, 0))
    local small = recording.form(mask, output, output:json { redact = mask }, "", 7)
    assert.is_nil(small:line(nil, read '{"a":12}', nil, 5, 0, 0), "more than the limit")
  end)

  it("has the date of each answer, and no other header that differs", function()
    local form, first = form_of_answer '{"n":1}'
    assert.equal('{"attempt":2,"at":1.500,"duration":0.020,"output":{"n":1},"requests":[{"response_headers":' .. HEADERS
      .. ',"response":{"n":1}}]}\n', line_of(form, first))
    local later = line_of(form, answer('{"n":2}', (LINES:gsub("02 Jan", "03 Feb", 1))))
    assert.truthy(later:find('{"date":"Mon, 03 Feb 2006 15:04:05 GMT","last-modified":"Mon, 02 Jan', 1, true), later)
    for _, lines in ipairs {
      LINES:gsub("Modified: Mon, 02", "Modified: Mon, 03"), LINES .. "A: b\r\n", "", (LINES:gsub("02 Jan", '0" Jan', 1)),
    } do
      assert.same("headers", select(2, line_of(form, answer('{"n":2}', lines))))
    end
  end)

  it("refuses another status, an empty body, a large one, and an output that is not the body's", function()
    local form = form_of_answer '{"n":1}'
    assert.is_nil(line_of(form, answer('{"n":2}', LINES, 201)))
    assert.is_nil(line_of(form, answer ""))
    local one = answer '{"n":2}'
    assert.is_nil(form_of_answer('{"n":1}', nil, 6):line(nil, (one:document()), one, 2, 0, 0))
    assert.is_nil(form:line(nil, read '{"n":2}', one, 2, 0, 0))
    assert.is_nil(form:line(nil, read '{"n":2}', nil, 2, 0, 0))
  end)

  -- A copied body had a member twice, which bide then refused to replay, or a number that the reader had made smaller.
  it("has what was read of a body whose names or exponents differ in digits", function()
    local form = form_of_answer '{"a1":1,"a2":2}'
    assert.truthy(line_of(form, answer '{"a1":3,"a2":4}'):find('"output":{"a1":3,"a2":4}', 1, true))
    local line = line_of(form, answer '{"a1":1,"a1":3}')
    assert.truthy(line:find('"output":{"a1":3}', 1, true), line)
    line = line_of(form_of_answer '{"n":2e100}', answer '{"n":9e999}')
    assert.is_nil(line:find("9e999", 1, true), line)
    local text = line_of(form_of_answer '{"t":"a 1e5: 7"}', answer '{"t":"a 2e6: 8"}')
    assert.truthy(text:find('"output":{"t":"a 2e6: 8"}', 1, true))
  end)

  it("copies a body in which only digits differ, but none that digits may make a secret", function()
    local form = form_of_answer '{"n":1,"at":"10:15"}'
    assert.truthy(line_of(form, answer '{"n":1,"at":"10:16"}'):find('"response":{"n":1,"at":"10:16"}', 1, true))
    assert.truthy(line_of(form, answer '{"n":9,"at":"20:16"}'):find('"output":{"n":9,"at":"20:16"}', 1, true))
    local named, first = form_of_answer('{"pin1":"a-long-text"}', { "pin2" })
    assert.truthy(line_of(named, first))
    assert.truthy(line_of(named, answer '{"pin3":"a-long-text"}'))
    assert.is_nil(line_of(named, answer '{"pin2":"a-long-text"}'))
    local escaped = form_of_answer '{"text":"pwd\\u001d12345"}'
    assert.truthy(line_of(escaped, answer '{"text":"pwd\\u001d12346"}'))
    assert.is_nil(line_of(escaped, answer '{"text":"pwd\\u003d12346"}'))
  end)

  -- Bodies that differ in one digit, at each place of the blocks that are compared at once.
  it("copies digits at any place, and looks at all that is around them", function()
    for length = 1, 150 do
      local filler = ("x"):rep(length)
      local function body(name, value, number) return ('{"%s%s":"%s","n":%s}'):format(filler, name, value, number) end
      local form = form_of_answer(body("1", "12:30", "15"))
      for _, changed in ipairs { body("1", "12:31", "15"), body("1", "99:31", "16"), body("1", "99:31", "86") } do
        assert.truthy(line_of(form, answer(changed)):find('"response":' .. changed, 1, true))
      end
      assert.truthy(line_of(form, answer(body("2", "12:30", "15"))):find(filler .. '2":"12:30"', 1, true))
      local masked = form_of_answer(body("", "key1", "1"), { filler .. "7" })
      assert.is_nil(line_of(masked, answer(body("7", "key", "1"))))
      local power = line_of(form_of_answer(body("1", "a", "[1,2e100]")), answer(body("1", "a", "[1,9e999]")))
      assert.is_nil(power:find("9e999", 1, true), power)
      assert.is_nil(line_of(form_of_answer(body("1", "Pxarer abcdefgh", "1")), answer(body("1", "Bearer abcdefgh", "1"))))
    end
  end)

  local names = { "status", "name", "id", "token", "password", "nextToken", "key1", "key2", "pin", "resourceVersion", "a b" }
  local texts = {
    "pending", "10:15:20", "Bearer abcdefgh", "basic things", "https://me:secret12@host/", "x=1", "pwd=abcdefgh", "say \"hi\"",
    "back\\slash", "known-value-of-8", "a line\nand another", "ünï", "be", "X-Auth-Token: abcdefgh", "", "web",
  }

  local function random_value(depth)
    local kind = math.random(depth > 3 and 4 or 7)
    if kind == 1 then return math.random(0, 99999) end
    if kind == 2 then return json.null end
    if kind <= 4 then return texts[math.random(#texts)] end
    local value = {}
    if kind == 5 then
      for position = 1, math.random(0, 4) do value[position] = random_value(depth + 1) end
      return json.array(value)
    end
    for _ = 1, math.random(0, 5) do value[names[math.random(#names)]] = random_value(depth + 1) end
    return next(value) and value or json.null
  end

  it("never differs from what is written member by member, over random answers", function()
    local written, refused = 0, 0
    for seed = 1, 3000 do
      math.randomseed(seed)
      local form, mask = form_of(seed % 3 == 0 and { "pin" } or nil, seed % 2 == 0 and { "known-value-of-8" } or nil)
      for _ = 1, 3 do
        local output = read(json.encode { value = random_value(1) })
        local line = made(form, output, nil, 1, 0, 0)
        local collected = core.secret.mask(seed % 3 == 0 and { "pin" } or nil)
        local wanted = '{"attempt":1,"at":0.000,"duration":0.000,"output":' .. output:json { redact = mask } .. "}\n"
        if line then
          written = written + 1
          assert.equal(wanted, line)
          assert.equal(0, collected:collect(output), line)
        else
          refused = refused + 1
        end
      end
    end
    assert.is_true(written > 1000 and refused > 1000, written .. " written, " .. refused .. " refused")
  end)

  it("refuses what is no form, mask or document", function()
    assert.has_error(function() recording.form({}, read "{}", "{}", "", LIMIT) end)
    assert.has_error(function() recording.form(core.secret.mask(), {}, "{}", "", LIMIT) end)
    assert.has_error(function() form_of():line(nil, {}, nil, 1, 0, 0) end)
    assert.has_error(function() form_of():line(nil, read "{}", nil, "x", 0, 0) end)
    assert.has_error(function() form_of():headers("a") end)
    assert.has_error(function() recording.append(descriptor, form_of()) end, nil, "it has made no line")
  end)
end)

describe("an appended text", function()
  it("is written whole, or the reason is given", function()
    local appended = os.tmpname()
    local file = assert(uv.fs_open(appended, "a", 384))
    assert.equal(6, recording.append(file, "a\0line"))
    assert.equal(0, recording.append(file, ""))
    uv.fs_close(file)
    assert.equal("a\0line", io.open(appended, "rb"):read "a")
    os.remove(appended)
    assert.same({ 0, "Bad file descriptor" }, { recording.append(file, "text") })
    local full = assert(uv.fs_open("/dev/full", "a", 384))
    assert.same({ 0, "No space left on device" }, { recording.append(full, "text") })
    local form = form_of()
    assert.truthy(form:line(nil, read '{"a":1}', nil, 1, 0, 0))
    assert.same({ 0, "No space left on device" }, { recording.append(full, form) })
    assert.same({ form, "No space left on device", 0 }, { form:line(full, read '{"a":2}', nil, 2, 0, 0) })
    uv.fs_close(full)
  end)

  it("is continued where the system took a part of it", function()
    local form, ends = form_of(), uv.pipe({ nonblock = true }, { nonblock = true })
    local long = { n = ("x"):rep(200000) }
    assert.truthy(form:line(nil, read(json.encode(long)), nil, 1, 0, 0))
    local written, mistake = recording.append(ends.write, form)
    assert.equal("Resource temporarily unavailable", mistake)
    local text = uv.fs_read(ends.read, 1 << 20)
    assert.equal(written, #text)
    assert.equal(text, ('{"attempt":1,"at":0.000,"duration":0.000,"output":' .. json.encode(long)):sub(1, written))
    uv.fs_close(ends.read)
    uv.fs_close(ends.write)
  end)
end)
