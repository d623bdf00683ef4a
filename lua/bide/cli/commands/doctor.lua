---bide doctor: says what this machine has for waits, and what follows from it.

local machine = require "bide.cli.help.machine"
local exit_code = require "bide.cli.ending.exit_code"
local parser = require "bide.cli.words.parser"
local report = require "bide.record.report"
local shown = require "bide.text.shown"

local M = { summary = "say what this machine has for waits, and what follows" }

function M.new_parser()
  local command = parser.new("doctor", "Look at what waits need of this machine: the walls of the sandbox, the resolver, "
    .. "certificates, proxies, the clock, descriptors, libraries and variables. Exit code 1: something is wrong. Nothing is "
    .. "sent but the questions for the NAMEs.", "bide doctor localhost")
  command:argument("NAME", "Names of hosts, which are asked of the system's resolver."):args("*"):target "names"
  command:usage "Usage: bide doctor [NAME ...] [options]"
  command:option("--output", "Print the findings as FORMAT: text or json."):argname("FORMAT")
    :one_of({ "text", "json" }):default "text"
  return command
end

---@param names string[]
---@return bide.doctor.Finding[]
local function examine(names)
  local findings = { machine.walls(), machine.resolver() }
  for _, name in ipairs(names) do findings[#findings + 1] = machine.name(name) end
  for _, check in ipairs { machine.authorities, machine.proxies, machine.clock, machine.descriptors, machine.folders,
    machine.libraries, machine.environment } do
    for _, finding in ipairs { check() } do findings[#findings + 1] = finding end
  end
  return findings
end

local marks = { fine = " ", note = "-", problem = "!" }

local function as_text(findings)
  local lines, width = {}, 0
  for _, finding in ipairs(findings) do width = math.max(width, #finding.name) end
  local row = ("%%s %%-%ds  %%s"):format(math.min(width, 40))
  for _, finding in ipairs(findings) do
    lines[#lines + 1] = shown.line(row:format(marks[finding.state], finding.name, finding.found))
    if finding.follows then lines[#lines + 1] = shown.line(row:format(" ", "", "→ " .. finding.follows)) end
  end
  return table.concat(lines, "\n") .. "\n"
end

local function as_json(findings)
  return report.rows(findings, { "name", "state", "found", "follows" }) .. "\n"
end

function M.main(arguments)
  local options = M.new_parser():parse(arguments)
  local findings = examine(options.names)
  local code = exit_code.SUCCESS
  for _, finding in ipairs(findings) do
    if finding.state == "problem" then code = exit_code.FAILURE end
  end
  local text = (options.output == "json" and as_json or as_text)(findings)
  return exit_code.unless_reported(code, shown.print_document(text))
end

return M
