---bide advise: learns a schedule from how long past waits took.

local acceptors = require "bide.cli.words.acceptors"
local advice = require "bide.record.advice"
local answers = require "bide.record.answers"
local await = require "bide.task.await"
local branch = require "bide.cli.waits.branch"
local chart = require "bide.text.chart"
local core = require "bide.core"
local duration = require "bide.text.duration"
local exit_code = require "bide.cli.ending.exit_code"
local file_failure = require "bide.text.file_failure"
local journaling = require "bide.cli.words.journaling"
local limits_of = require "bide.recipe.waiter.limits"
local literals = require "bide.cli.files.literals"
local luv = require "luv"
local parser = require "bide.cli.words.parser"
local pasts = require "bide.record.journal.past"
local recipe_path = require "bide.recipe.file.path"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local waiters = require "bide.wait.waiter"
local watch = require "bide.wait.watch"

local M = { summary = "learn a schedule from how long past waits took" }

function M.new_parser()
  local command = parser.new("advise", "Learn a schedule from how long past waits took: the one that finds the end soonest "
    .. "for no more polls than today's, and the one that polls least for no more lateness. Nothing is sent.",
    "bide advise things.lua ThingExists --recordings runs")
  shared.add_recipe(command)
  command:usage("Usage: bide advise RECIPE [WAITER] [KEY=VALUE ...]\n"
    .. "                   --journal FILE|--recordings DIR [options]")
  command:begin_section "Past waits"
  command:option("--journal", "Learn from the waits of a journal. Default: BIDE_JOURNAL."):argname("FILE")
  command:option("--recordings", "Learn from the recordings in DIR, *.jsonl, on which the waiter decides anew.")
    :argname("DIR")
  acceptors.add_decisions(command, "Advise for waits of at most DURATION: 300, 300s, 5m, 1h30m. Default: the max wait of most "
    .. "past waits.")
  command:begin_section "Report"
  command:option("--output", "Print the advice as FORMAT, text or json."):argname("FORMAT")
    :one_of({ "text", "json" }):default "text"
  command:option("--aim", "Advise only the schedule that finds the end sooner, or that makes fewer polls.")
    :argname("sooner|fewer"):one_of { "sooner", "fewer" }
  command:flag("--write", "Put the advice into the recipe, that of --aim, or else the sooner one. Only numbers are changed "
    .. "that the file has exactly once.")
  return command
end

-- ---- past waits ---------------------------------------------------------------------------------

---@param past bide.Past
local function read_journal(file, past, waiter)
  local journal = journaling.open(file, true)
  local done, mistake = journal:transact(function(query)
    past:clear()
    past:read_journal(journal, query, waiter)
  end)
  journal:close()
  if not done then parser.fail(mistake) end
end

---Longer than any wait of a recording, in milliseconds.
local LONG <const> = 10 ^ 12 // 1 | 0

---Lets a waiter decide anew on a recording, whatever its delays are now.
---@param list bide.Answer[]
---@return table? record
---@return table[] entries
local function replay(waiter, limits, list)
  local own, entries = { max_wait = LONG, max_attempts = #list, seed = list[1].wait.seed or 0 }, {}
  local copy = tables.merged(waiter)
  answers.replace(copy, list)
  copy.variants, copy.watched = nil, nil
  setmetatable(copy, getmetatable(waiter))
  local given = assert(core.json.document(list[1].wait.input or {}))
  local prepared = waiters.prepared(copy, given, setmetatable(own, { __index = limits }))
  if not prepared then return nil, entries end
  local waker, nothing = core.task.waker(), function() end
  local _running <close> = waiters.closing(prepared:start(waker, {
    started = nothing, ended = nothing, attempted = function(_, _, entry) entries[#entries + 1] = entry end,
  }))
  return core.task.pause(waker), entries
end

local kinds_of_cut = { maxWait = true, maxAttempts = true }

---Adds a recording.
---@param past bide.Past
local function add_recording(past, waiter, limits, file)
  local list, _, warning = answers.read(file)
  local of = list and list[1].wait
  if not list or not of or not of.maxWait then return past:count "broken" end
  if answers.mistake_for(list, waiter) then
    local label = ("%s of %s"):format(of.waiter, of.recipe or "a script")
    past.others[label] = (past.others[label] or 0) + 1
    return
  end
  if warning then return past:count "unfinished" end
  local record, entries = replay(waiter, limits, list)
  if not record then return past:count "otherwise" end
  local history = pasts.history_of(list, entries)
  if not history then return past:count "otherwise" end
  if kinds_of_cut[record.reason] and not pasts.is_cut(history, of.maxWait) then return past:count "unfinished" end
  past:add(record.state, record.reason, of.maxWait, history)
end

---@param past bide.Past
local function read_recordings(folder, past, waiter, limits)
  local entries, mistake = luv.fs_scandir(folder)
  if not entries then parser.fail("--recordings: " .. file_failure.named(mistake)) end
  local names = {}
  for name in luv.fs_scandir_next, entries do
    if name:find "%.jsonl$" then names[#names + 1] = name end
  end
  if #names == 0 then parser.fail(("--recordings: expected files *.jsonl in %s, found none"):format(folder)) end
  table.sort(names)
  watch.disable()
  core.loop.use_virtual_clock()
  for _, name in ipairs(names) do add_recording(past, waiter, limits, folder .. "/" .. name) end
end

---The kinds of waits in words, in their order.
local kinds = {
  { "ended", "ended" }, { "cut", "cut by its limit" }, { "failed", "failed" }, { "cancelled", "cancelled" },
  { "unfinished", "not finished" }, { "otherwise", "of another definition" },
  { "broken", "unreadable, or by a clock that ran back" },
}

---@param past bide.Past
local function counts_in_words(past)
  local words = {}
  for _, kind in ipairs(kinds) do
    local count = past.counts[kind[1]]
    if count > 0 or kind[1] == "ended" then words[#words + 1] = ("%d %s"):format(count, kind[2]) end
  end
  return table.concat(words, ", ")
end

local function others_in_words(past)
  local names = {}
  for name, count in pairs(past.others) do names[#names + 1] = ("%d %s"):format(count, name) end
  table.sort(names)
  if #names == 0 then return "" end
  local more = #names > 5 and ", …" or ""
  return "; of other waiters: " .. table.concat(names, ", ", 1, math.min(#names, 5)) .. more
end

---Ends the process if there is too little to learn from.
---@param past bide.Past
local function require_enough(past, waiter)
  local counts = past.counts
  if counts.ended < advice.LEAST_ENDS then
    parser.fail(("too little data to advise anything: expected at least %d waits of %s that ended, found %s%s"):format(
      advice.LEAST_ENDS, waiter.name, counts_in_words(past), others_in_words(past)))
  end
  if counts.first == counts.ended then
    parser.fail(("nothing to learn: all %d waits of %s that ended did so at their first attempt"):format(counts.ended,
      waiter.name))
  end
end

-- ---- the report ---------------------------------------------------------------------------------

---The members of a schedule, as a recipe has them.
local members = {
  { name = "minDelay", member = "min_delay" }, { name = "maxDelay", member = "max_delay" },
  { name = "initialDelay", member = "initial_delay" }, { name = "lateness", member = "lateness" },
}

---Returns a member of a schedule in seconds, or the lateness; nil if it has none.
---@return number?
local function value_of(limits, row)
  local value = limits[row.member]
  if row.member == "lateness" then return value and value / limits_of.BILLIONTHS end
  if row.member == "initial_delay" and value == 0 then return nil end
  return value and value / 1000
end

local function schedule_in_words(limits)
  local words = {}
  for _, row in ipairs(members) do
    local value = value_of(limits, row)
    if value then words[#words + 1] = ("%s %s"):format(row.name, literals.number(value)) end
  end
  return table.concat(words, ", ")
end

local function time(milliseconds)
  return duration.format(math.floor(milliseconds + 0.5))
end

local function signed(milliseconds)
  return milliseconds < 0 and "-" .. time(-milliseconds) or time(milliseconds)
end

---@param one bide.AdvisedSchedule
local function print_schedule(one, today)
  local intervals = one.intervals
  shown.print(("%-8s%s"):format(one.aim and one.aim.name or "today", schedule_in_words(one.limits)))
  shown.print(("        found after %s (%s to %s), %.2f polls (%.2f to %.2f)"):format(time(one.figures.lateness),
    time(intervals.lateness[1]), time(intervals.lateness[2]), one.figures.polls, intervals.polls[1], intervals.polls[2]))
  if not one.aim then return end
  local of, gain = one.aim.cost, intervals.gain
  local show = of == "polls" and function(value) return ("%.2f"):format(value) end or signed
  local words = ("%s (%s to %s)"):format(show(today.figures[of] - one.figures[of]), show(gain[1]), show(gain[2]))
  shown.print(one.gains and ("        %s by %s"):format(one.aim.name, words)
    or gain[1] > 0 and ("        no advice: it would be %s"):format(of == "polls" and "later" or "more polls")
    or ("        no advice: the gain, %s, may be none"):format(words))
end

---Returns the time by which a part of the ends has come; nil if that is not known.
local function quantile(pieces, part)
  local sum = 0
  for _, piece in ipairs(pieces) do
    sum = sum + piece[3]
    if sum >= part - 1e-9 then return piece[2] or nil end
  end
end

---Returns the ends in equal parts of the time until `last`.
local function histogram(pieces, last, width)
  local counts = {}
  for position = 1, width do counts[position] = 0 end
  for _, piece in ipairs(pieces) do
    local from, to = math.max(piece[1], 0) / last * width, (piece[2] or math.huge) / last * width
    for position = math.floor(from) + 1, math.min(math.ceil(to), width) do
      local part = to > from and (math.min(to, position) - math.max(from, position - 1)) / (to - from) or 1
      if piece[2] then counts[position] = counts[position] + piece[3] * part end
    end
  end
  return counts
end

---Returns the mean time between the attempts between which an end came.
---@param past bide.Past
local function precision_of(past)
  local sum, count = 0, 0
  for position, until_ in ipairs(past.until_) do
    if until_ then sum, count = sum + until_ - math.max(past.after[position], 0), count + 1 end
  end
  return sum / count
end

---Draws when the waits ended.
---@param past bide.Past
local function print_distribution(past, pieces)
  local width, last = (core.process.window(1) or 80) - 1, 1
  for _, piece in ipairs(pieces) do
    if piece[2] and piece[3] > 1e-6 then last = piece[2] end
  end
  for _, line in ipairs(chart.columns(histogram(pieces, last, width), 4)) do shown.print((line:gsub(" +$", ""))) end
  local right = time(last)
  shown.print("0 s" .. (" "):rep(math.max(width - 3 - #right, 1)) .. right)
  local half, most = quantile(pieces, 0.5), quantile(pieces, 0.9)
  shown.print(("half ended by %s, 90 %% by %s; each seen within %s"):format(half and time(half) or "a time beyond",
    most and time(most) or "a time beyond", time(precision_of(past))), "")
end

---@param past bide.Past
local function print_text(past, waiter, today, list, pieces)
  shown.print(("%s: %s%s"):format(waiter.name, counts_in_words(past), others_in_words(past)), "")
  print_distribution(past, pieces)
  for _, one in ipairs(list) do print_schedule(one, list[1]) end
  shown.print("", ("Means of max wait %s, attempts of %s, without hold, rate and Retry-After;"):format(
    duration.format(today.max_wait), time(today.latency)),
    ("searched on half of the waits, tried on the other: %d %% intervals, %d samples"):format(
      math.floor(advice.PART * 100 + 0.5), advice.SAMPLES))
  if past.counts.woken > 0 then
    shown.print(("%d ends were seen because of an event: the figures are for polls alone"):format(past.counts.woken))
  end
end

local function json_of(one)
  local printed = { aim = one.aim and one.aim.name, isAdvised = one.aim and one.gains, lateness = one.figures.lateness / 1000,
    polls = one.figures.polls, found = one.figures.found, schedule = {} }
  for _, row in ipairs(members) do printed.schedule[row.name] = value_of(one.limits, row) end
  printed.intervals = { polls = core.json.array(one.intervals.polls), lateness = core.json.array {} }
  local scale = one.aim and one.aim.cost == "polls" and 1 or 1000
  for position = 1, 2 do printed.intervals.lateness[position] = one.intervals.lateness[position] / 1000 end
  if one.aim then
    printed.intervals.gain = core.json.array { one.intervals.gain[1] / scale, one.intervals.gain[2] / scale }
  end
  return printed
end

---@param past bide.Past
local function print_json(past, waiter, today, list, pieces)
  local schedules, ends = core.json.array {}, core.json.array {}
  for position = 2, #list do schedules[position - 1] = json_of(list[position]) end
  for _, piece in ipairs(pieces) do
    ends[#ends + 1] = { after = math.max(piece[1], 0) / 1000, ["until"] = piece[2] and piece[2] / 1000 or nil, share = piece[3] }
  end
  shown.print_document(assert(core.json.encode({
    waiter = waiter.name, waits = past.counts, others = past.others, maxWait = today.max_wait / 1000,
    latency = today.latency / 1000, today = json_of(list[1]), advice = schedules, ends = ends,
  }, { indent = true, escape = true })) .. "\n")
end

-- ---- writing ------------------------------------------------------------------------------------

---Puts an advice into the recipe; ends the process if it cannot be written.
---@param list bide.AdvisedSchedule[]
local function write(options, recipe, waiter, list)
  local aim, advised = options.aim or "sooner", nil
  for _, one in ipairs(list) do
    if one.aim and one.aim.name == aim and one.gains then advised = one end
  end
  if not advised then parser.fail(("--write: there is no advice for %s, and %s is as it was"):format(aim, waiter.files[1])) end
  local changes, file = {}, waiter.files[1]
  for _, row in ipairs(members) do
    local otherwise = row.member == "initial_delay" and 0 or nil
    local from, to = value_of(list[1].limits, row) or otherwise, value_of(advised.limits, row) or otherwise
    if from ~= to then changes[#changes + 1] = { name = row.name, member = row.member, from = from, to = to } end
  end
  local done, mistake = literals.write(file, recipe, waiter, changes)
  if not done then parser.fail_in_lines(mistake) end
  local sentence = ("%s has the schedule of %s now"):format(file, aim)
  if options.output == "json" then shown.note(sentence) else shown.print("", sentence) end
end

---Refuses what cannot be meant; ends the process.
local function check(options, waiter)
  local file = waiter.files and waiter.files[1]
  if options.write and (not file or recipe_path.is_bundled(file)) then
    parser.fail "--write: the recipe is bundled with bide; copy it, or give the delays on the command line"
  end
end

function M.main(arguments)
  local options = shared.parse(M.new_parser(), arguments)
  local file = not options.recordings and journaling.file(options) or nil
  if options.recordings and options.journal then parser.fail "--journal and --recordings exclude each other" end
  if not file and not options.recordings then parser.fail "no past waits: give --journal FILE or --recordings DIR" end
  local recipe = assert(branch.load(options))
  local waiter = branch.find_waiter(options)
  check(options, waiter)
  local limits, past = branch.limits(options, waiter), pasts.new()
  if file then read_journal(file, past, waiter) else read_recordings(options.recordings, past, waiter, limits) end
  require_enough(past, waiter)
  local today = { latency = past:latency(), max_wait = limits.max_wait or past:max_wait(),
    initial_delay = limits.initial_delay or 0, min_delay = limits.min_delay, max_delay = limits.max_delay,
    lateness = limits.lateness }
  local is_plain = waiter.files[1]:find "%.json$" ~= nil
  function advice.breathe() await(core.loop.update()) end
  local list = advice.of(past.after, past.until_, today, is_plain and 1000 or 1, is_plain)
  if options.aim then
    for position = #list, 2, -1 do
      if list[position].aim.name ~= options.aim then table.remove(list, position) end
    end
  end
  local print = options.output == "json" and print_json or print_text
  local pieces = core.schedule.ends(past.after, past.until_):pieces()
  print(past, waiter, today, list, pieces)
  if options.write then write(options, recipe, waiter, list) end
  return exit_code.SUCCESS
end

return M
