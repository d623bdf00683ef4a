---The numbers of cells: what the ids of runs say, and which cell a run goes to.

local cell = require "bide.record.store.cell"
local check = require "spec.support.check"
local tables = require "bide.text.tables"
local urls = require "bide.record.store.url"

describe("the number of a cell", function()
  local last = (1 << 43) - 1 -- of a sequence

  it("is found in the ids of its runs, at every bound", function()
    assert.equal(1023, cell.MOST)
    local numbers, sequences = { 0, 1, 2, 511, 512, 1022, 1023 }, { 1, 2, (1 << 25) + 1, 1 << 32, (1 << 42) - 1, 1 << 42, last }
    math.randomseed(7)
    for _ = 1, 1000 do
      numbers[#numbers + 1], sequences[#sequences + 1] = math.random(0, cell.MOST), math.random(1, last)
    end
    for position, number in ipairs(numbers) do
      for offset = 0, 6 do
        local sequence = sequences[(position + offset - 1) % #sequences + 1]
        local id = number * (1 << 43) + sequence
        check.equal(number, cell.of_run(id), id)
        check.equal(sequence, id - (cell.of_run(id) << 43), id)
        check.equal(true, id < 1 << 53 and math.tointeger(id + 0.0) == id, id)
      end
    end
  end)

  it("lets the ids of a lower cell come first, and belongs to no number beyond the bits", function()
    for number = 0, cell.MOST - 1 do
      check.equal(number + 1, cell.of_run((number << 43) + last + 1), number)
      check.equal(true, (number << 43) + last < (number + 1 << 43) + 1, number)
    end
    assert.equal((1 << 53) - 1, (cell.MOST << 43) + last)
    for _, id in ipairs { 1 << 53, (1 << 53) + 1, math.maxinteger } do assert.is_true(cell.of_run(id) > cell.MOST) end
  end)

  it("is a whole number from 0 to 1023", function()
    for text, number in pairs { ["0"] = 0, ["7"] = 7, ["0007"] = 7, ["1023"] = 1023 } do assert.equal(number, cell.read(text)) end
    for _, text in ipairs { "", "1024", "9999", "00001", "-1", "+1", "1.0", "1e2", "0x1", " 1", "1 ", "a" } do
      assert.is_nil(cell.read(text), text)
    end
  end)

  it("is cut from a URL, whatever stands beside it", function()
    for url, expected in pairs {
      ["postgres://a@h/d"] = { "postgres://a@h/d" }, ["postgres://a@h/d?cell=3"] = { "postgres://a@h/d", 3 },
      ["postgres://a@h/d?cell=0&prepare=off"] = { "postgres://a@h/d?prepare=off", 0 },
      ["postgres://a@h/d?prepare=off&cell=12&sslmode=require"] = { "postgres://a@h/d?prepare=off&sslmode=require", 12 },
      ["postgres://a@h/d?excell=3"] = { "postgres://a@h/d?excell=3" },
      ["postgres://a@h/d?cell=1024"] = { nil, 'cell: expected a whole number from 0 to 1023, found "1024"' },
      ["postgres://a@h/d?cell="] = { nil, 'cell: expected a whole number from 0 to 1023, found ""' },
      ["postgres://a@h/d?cell=1&cell=1"] = { nil, "cell: it is given twice" },
    } do
      local others, found = urls.cut_cell(url)
      assert.same({ expected[1], expected[2] }, { others, found }, url)
    end
  end)
end)

describe("the cell of a submit token", function()
  local function cells(count)
    local list = {}
    for position = 1, count do list[position] = { cell = position - 1 } end
    return list
  end

  local function numbers(list)
    return tables.mapped(list, function(one) return one.cell end)
  end

  it("does not depend on the order of the stores", function()
    local given, reversed = cells(28), {}
    for position, one in ipairs(given) do reversed[#given + 1 - position] = one end
    for token = 1, 200 do
      assert.same(numbers(cell.ordered(given, "t" .. token)), numbers(cell.ordered(reversed, "t" .. token)))
    end
    assert.same(numbers(cells(28)), numbers(given))
  end)

  it("stays the same if another cell is left out", function()
    local given = cells(9)
    for token = 1, 200 do
      local order = cell.ordered(given, "t" .. token)
      for position = 2, #order do
        local others = {}
        for place, one in ipairs(given) do
          if one ~= order[position] then others[#others + 1] = given[place] end
        end
        check.equal(order[1].cell, cell.ordered(others, "t" .. token)[1].cell, token)
      end
    end
  end)

  it("is each of them equally often", function()
    local counts, given = {}, cells(8)
    for token = 1, 8000 do
      local first = cell.ordered(given, "token " .. token)[1].cell
      counts[first] = (counts[first] or 0) + 1
    end
    for number = 0, 7 do assert.is_true(counts[number] > 850 and counts[number] < 1150, number .. ": " .. counts[number]) end
  end)
end)
