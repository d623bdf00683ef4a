---Texts for the reader: what it takes, with what is written again; what it refuses, with the
---error; what its prediction must not change.

local M = {}

M.taken = {
  { "null", "null" }, { " true ", "true" }, { "\t\r\nfalse", "false" },
  { "0", "0" }, { "-0", "0" }, { "-1", "-1" }, { "123456789012345678", "123456789012345678" },
  { "1234567890123456789", "1234567890123456789" },
  { "9223372036854775807", "9223372036854775807" },
  { "9223372036854775808", "9223372036854775808" },
  { "18446744073709551615", "18446744073709551615" },
  { "18446744073709551616", "1.8446744073709552e19" },
  { "-9223372036854775808", "-9223372036854775808" },
  { "-9223372036854775809", "-9.223372036854776e18" },
  { "1.0", "1.0" }, { "-0.0", "-0.0" }, { "1e2", "100.0" }, { "1E+2", "100.0" }, { "1e-2", "0.01" },
  { "0.1", "0.1" }, { "123.456", "123.456" }, { "1e15", "1000000000000000.0" }, { "1e16", "1e16" },
  { "0.00001", "0.00001" }, { "0.000001", "1e-6" }, { "1.5e300", "1.5e300" }, { "5e-324", "5e-324" },
  { "1.7976931348623157e308", "1.7976931348623157e308" }, { "2.2250738585072014e-308", "2.2250738585072014e-308" },
  { "1e-400", "0.0" }, { "0e999999999999999999999", "0.0" }, { "1e23", "1e23" },
  { "9007199254740993.0", "9007199254740992.0" }, { "0." .. ("0"):rep(400) .. "1e401", "1.0" },
  { "1" .. ("0"):rep(400) .. "e-400", "1.0" },
  { "2.00000000000000011102230246251565404236316680908203125", "2.0" },
  { "2.00000000000000011102230246251565404236316680908203124" .. ("9"):rep(900), "2.0" },
  { "9007199254740992999999999999999999999e-21", "9007199254740992.0" },
  { '""', '""' }, { '"\u{e9}\u{20ac}\u{10348}"', '"\u{e9}\u{20ac}\u{10348}"' },
  { [["\"\\\/\b\f\n\r\t"]], [["\"\\/\b\f\n\r\t"]] },
  { [["\u0041\u00e9\u20AC\ud800\udf48"]], '"A\u{e9}\u{20ac}\u{10348}"' },
  { [["\u0000\u001f"]], [["\u0000\u001f"]] }, { '"\x7f"', '"\x7f"' },
  { '"' .. ("x"):rep(15) .. '\\n"', '"' .. ("x"):rep(15) .. '\\n"' },
  { '"' .. ("x"):rep(16) .. '\\n' .. ("y"):rep(17) .. '"', '"' .. ("x"):rep(16) .. '\\n' .. ("y"):rep(17) .. '"' },
  { "[]", "[]" }, { "{}", "{}" }, { "[[],{},[[]]]", "[[],{},[[]]]" }, { " [ 1 , 2 ] ", "[1,2]" },
  { '{"a":1}', '{"a":1}' }, { '{ "a" : { "b" : [ ] } }', '{"a":{"b":[]}}' },
  { '{"b":1,"a":2}', '{"b":1,"a":2}' }, { '{"":0}', '{"":0}' },
  { '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}' }, { '{"a":1,"\\u0061":2}', '{"a":2}' },
}

M.refused = {
  { "", "json: found the end where a value should be, at line 1, column 1" },
  { "  ", "json: found the end where a value should be, at line 1, column 3" },
  { "[1,]", "json: found ']' where a value should be, at line 1, column 4" },
  { "[1 2]", "json: found '2' where a comma or a closing bracket should be, at line 1, column 4" },
  { "[1,\n 2,\n x]", "json: found 'x' where a value should be, at line 3, column 2" },
  { '{"\u{e9}": x}', "json: found 'x' where a value should be, at line 1, column 7" },
  { "[1", "json: found the end where a comma or a closing bracket should be, at line 1, column 3" },
  { '{"a" 1}', "json: found '1' where a colon should be, at line 1, column 6" },
  { '{"a":1', "json: found the end where a comma or a closing brace should be, at line 1, column 7" },
  { "{a:1}", "json: found 'a' where a name in quotes should be, at line 1, column 2" },
  { '{"a":1,}', "json: found '}' where the name of another member should be, at line 1, column 8" },
  { "{'a':1}", 'json: found "\'" where a name in quotes should be, at line 1, column 2' },
  { "1 2", "json: found '2' where the end of the text should be, at line 1, column 3" },
  { "]", "json: found ']' where a value should be, at line 1, column 1" },
  { "tru", "json: found 't' where a value should be, at line 1, column 1" },
  { "nulll", "json: found 'l' where the end of the text should be, at line 1, column 5" },
  { "NaN", "json: found 'N' where a value should be, at line 1, column 1" },
  { "01", "json: found '1' where the end of the number (no leading zeros) should be, at line 1, column 2" },
  { "-", "json: found the end where a digit should be, at line 1, column 2" },
  { "+1", "json: found '+' where a value should be, at line 1, column 1" },
  { "1.", "json: found the end where a digit should be, at line 1, column 3" },
  { ".5", "json: found '.' where a value should be, at line 1, column 1" },
  { "1e", "json: found the end where a digit should be, at line 1, column 3" },
  { "1e400", "json: the number is larger than any double, at line 1, column 1" },
  { "-1" .. ("0"):rep(400), "json: the number is larger than any double, at line 1, column 1" },
  { '"a', "json: the string has no closing quote, at line 1, column 3" },
  { '"a\\', "json: a backslash is not followed by a valid escape, at line 1, column 3" },
  { [["\x41"]], "json: a backslash is not followed by a valid escape, at line 1, column 2" },
  { [["\u12g4"]], "json: \\u is not followed by four hexadecimal digits, at line 1, column 2" },
  { [["\u12]], "json: \\u is not followed by four hexadecimal digits, at line 1, column 2" },
  { [["\ud800"]], "json: a high surrogate is not followed by a low one, at line 1, column 2" },
  { [["\ud800\u0041"]], "json: a high surrogate is not followed by a low one, at line 1, column 2" },
  { [["\udc00"]], "json: a low surrogate does not follow a high one, at line 1, column 2" },
  { '"a\nb"', "json: a control character in a string must be escaped, at line 1, column 3" },
  { '"a\0b"', "json: a control character in a string must be escaped, at line 1, column 3" },
  { "[1]\0", "json: found the byte 0x00 where the end of the text should be, at line 1, column 4" },
  { "\0", "json: found the byte 0x00 where a value should be, at line 1, column 1" },
  { "\xef\xbb\xbf1", "json: found a byte order mark, which JSON does not allow, at line 1, column 1" },
  { '"\xff"', "json: the text is not UTF-8, at line 1, column 2" },
  { '"\xc0\x80"', "json: the text is not UTF-8, at line 1, column 2" },
  { '"\xe0\x80\x80"', "json: the text is not UTF-8, at line 1, column 2" },
  { '"\xed\xa0\x80"', "json: the text is not UTF-8, at line 1, column 2" },
  { '"\xf4\x90\x80\x80"', "json: the text is not UTF-8, at line 1, column 2" },
  { '"\xe2\x82"', "json: the text is not UTF-8, at line 1, column 2" },
  { '{"\xff":1}', "json: the text is not UTF-8, at line 1, column 3" },
  { ("["):rep(10000), "limit: arrays and objects are nested too deeply, beyond 1000 levels, at line 1, column 1001" },
  { ('{"a":'):rep(10000), "limit: arrays and objects are nested too deeply, beyond 1000 levels, at line 1, column 5001" },
}

---Objects whose names differ from what the one before them lets expect.
---"a0":0, "a1":1, …
local function members(from, to)
  local list = {}
  for i = from, to do list[#list + 1] = ('"a%d":%d'):format(i, i) end
  return table.concat(list, ",")
end

M.predictions = {
  { '[{"a":1,"b":2},{"a":3,"b":4}]' },
  { '[{"a":1,"b":2},{"b":3,"a":4}]' },
  { '[{"a":1,"b":2,"c":3},{"c":4},{"a":5}]' },
  { '[{"a":1},{"a":1,"x":2,"y":3},{"a":1,"y":4}]' },
  { '[{"a":1,"b":2},{"a":3,"a":4,"b":5}]', '[{"a":1,"b":2},{"a":4,"b":5}]' },
  { '[{"a":1,"b":2},{"b":3,"a":4,"b":5}]', '[{"a":1,"b":2},{"b":5,"a":4}]' },
  { '[{"a":1,"b":2},{"x":3,"b":4,"x":5}]', '[{"a":1,"b":2},{"x":5,"b":4}]' },
  { '[{"a":1},{"a\\"b":2},{"a":3}]', '[{"a":1},{"a\\"b":2},{"a":3}]' },
  { '[{"a\\"":1},{"a\\"":2},{"a\\"":3}]' },
  { '[{"\\u0061":1},{"a":2},{"\\u0061":3}]', '[{"a":1},{"a":2},{"a":3}]' },
  { '[{"\u{e9}":1},{"\u{e9}":2}]' },
  { '[{"abc":1},{"ab":2},{"abcd":3}]' },
  { '[{"a":{"b":1}},{"a":{"b":2,"c":3}},{"a":[1]},{"a":{"c":4}}]' },
  { '[[{"a":1},{"a":2}],[{"a":3}],[],[{"b":1}]]' },
  { '{"x":[{"a":1}],"y":[{"a":2}]}' },
  { '[{"a":[{"k":1},{"k":2}]},{"a":[{"k":3,"l":4}]}]' },
  { '[{},{"a":1},{},{"a":2}]' },
  -- a name that stands further on in the model than a name is sought there
  { "[{" .. members(0, 39) .. '},{"a39":7,' .. members(0, 39) .. "}]",
    "[{" .. members(0, 39) .. '},{"a39":39,' .. members(0, 38) .. "}]" },
}

return M
