local columns = require "bide.record.report.progress.columns"

describe("columns", function()
  local cases = {
    { "", 0 }, { "plain", 5 }, { "ümläut", 6 }, { "漢字", 4 }, { "ｆｕｌｌ", 8 }, { "한국어", 6 }, { "🙂", 2 }, { "e\u{301}", 1 },
    { "…", 1 }, { "カタカナ", 8 }, { "─┼", 2 },
  }

  for _, case in ipairs(cases) do
    it(("are %d of %s"):format(case[2], case[1]), function() assert.equal(case[2], columns.of(case[1])) end)
  end

  it("cut a text at a character, never wider than asked for", function()
    local rows = {
      { "plain", 5, "plain" }, { "plain", 4, "pla…" }, { "plain", 1, "…" }, { "plain", 0, "" }, { "", 0, "" },
      { "漢字漢字", 8, "漢字漢字" }, { "漢字漢字", 7, "漢字漢…" }, { "漢字漢字", 6, "漢字…" }, { "漢字", 2, "…" },
      { "e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…" },
    }
    for _, row in ipairs(rows) do
      local cut = columns.cut(row[1], row[2])
      assert.equal(row[3], cut)
      assert.is_true(columns.of(cut) <= row[2])
    end
  end)
end)
