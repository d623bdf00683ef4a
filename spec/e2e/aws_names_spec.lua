---Services of AWS by their names, and the data that they are read from.

local json = require("bide.core").json
local uv = require "luv"
local Workspace = require "spec.support.workspace"

local waiters = [[{"version": 2, "waiters": {"ThingReady": {"operation": "GetThing", "delay": 2, "maxAttempts": 3,
  "acceptors": [{"state": "success", "matcher": "path", "argument": "State", "expected": "ON"}]}}}]]

local service = [[{"metadata": {"apiVersion": "%s", "serviceFullName": "Things", "serviceId": "Things", "protocol": "json",
    "targetPrefix": "Things", "jsonVersion": "1.1", "signatureVersion": "v4", "endpointPrefix": "things"},
  "operations": {"GetThing": {"name": "GetThing", "http": {"method": "POST", "requestUri": "/"},
    "input": {"shape": "Request"}, "output": {"shape": "Answer"}}},
  "shapes": {"Request": {"type": "structure", "members": {"Names": {"shape": "Names"}}, "required": ["Names"]},
    "Names": {"type": "list", "member": {"shape": "Text"}}, "Text": {"type": "string"},
    "Answer": {"type": "structure", "members": {"State": {"shape": "Text"}}}}}]]

local with = [[
return { DescribeCertificate = function(input)
  return { Certificate = { DomainValidationOptions = { { ValidationStatus = input.CertificateArn:match "[%u_]+$" } } } }
end }]]

describe("a service of AWS", function()
  local workspace = Workspace.of_each { ["with.lua"] = with }

  ---Runs bide where nothing of AWS is installed but what the spec puts into the folder.
  local function run(...)
    return workspace:bide({ ... }, { env = { HOME = workspace.path, PATH = workspace.path .. ":/usr/bin:/bin",
      XDG_DATA_HOME = false, VIRTUAL_ENV = false, BIDE_AWS_MODELS = false } })
  end

  local function succeed(...)
    local done = run(...)
    assert.equal(0, done.code, done.stderr)
    return done.stdout, done.stderr
  end

  local function fail(...)
    local done = run(...)
    assert.equal(2, done.code, done.stdout)
    return done.stderr
  end

  ---Writes data in botocore's form.
  ---@param place string such as ".local/lib/python3.11/site-packages/botocore"
  local function install(place, name, api_version, release)
    local folder = ("%s/%s/data/%s/%s"):format(workspace.path, place, name, api_version)
    os.execute("mkdir -p " .. folder)
    workspace:write(place .. "/__init__.py", ("import os\n\n__version__ = '%s'\n"):format(release))
    workspace:write(place .. "/data/partitions.json", '{"partitions": []}')
    local data = ("%s/data/%s/%s/"):format(place, name, api_version)
    workspace:write(data .. "waiters-2.json", waiters)
    workspace:write(data .. "service-2.json", service:format(api_version))
    return data
  end

  local BOTOCORE = ".local/lib/python3.11/site-packages/botocore"

  it("is run by its name, with a waiter in either spelling", function()
    for _, words in ipairs { { "run", "aws:acm", "CertificateValidated" }, { "run", "aws:acm", "certificate-validated" },
      { "aws", "acm", "certificate-validated" }, { "aws:acm" }, { "aws", "--quiet", "acm", "CertificateValidated" },
      { "aws", "acm", "wait", "certificate-validated" } } do
      local options = { "CertificateArn=arn:aws:acm:::cert/SUCCESS", "--max-wait", "5m", "--with", "with.lua", "--output",
        "json" }
      table.move(options, 1, #options, #words + 1, words)
      assert.equal("CertificateValidated", json.decode((succeed(table.unpack(words)))).waiter)
    end
  end)

  it("has the inputs of its shapes, by their types", function()
    assert.matches("CertificateArn: ", fail("aws", "acm", "certificate-validated", "--max-wait", "5m", "--with", "with.lua"))
    workspace:write("ec2.lua", "return { DescribeInstances = function(input) error { type = 'Given', "
      .. "message = require 'cjson'.encode(input.InstanceIds) } end }")
    local done = run("aws", "ec2", "instance-running", "InstanceIds=i-1,i-2", "--max-wait", "5m", "--with", "ec2.lua")
    assert.matches('["i-1","i-2"]', done.stdout .. done.stderr, 1, true)
  end)

  it("has all commands for recipes", function()
    assert.matches("^CertificateValidated: minDelay 1 m", (succeed("plan", "aws:acm", "--max-wait", "1h")))
    assert.matches("^CertificateValidated, of the operation DescribeCertificate",
      (succeed("show", "aws:acm", "certificate-validated")))
    assert.equal("", (succeed("check", "aws:acm", "aws:rds")))
    assert.matches("DescribeCertificate = {", (succeed("convert", "aws:acm", "--to", "lua")), 1, true)
    workspace:write("answers.jsonl", '{"output": {"Certificate": {"Status": "FAILED"}}}\n')
    assert.equal(1, run("replay", "aws:acm", "certificate-validated", "answers.jsonl", "--max-wait", "5m",
      "CertificateArn=arn:aws:acm:::cert/x").code)
  end)

  it("is one of a list of waits, and of several", function()
    local arn = "arn:aws:acm:::cert/SUCCESS"
    workspace:write("waits.json", json.encode {
      { recipe = "aws:acm", waiter = "certificate-validated", with = "with.lua", input = { CertificateArn = arn } },
      { recipe = "aws:acm", with = "with.lua", input = { CertificateArn = arn } },
    })
    succeed("run", "waits.json", "--max-wait", "5m")
    succeed("aws", "acm", "CertificateArn=" .. arn, "--with", "with.lua", "+", "aws:acm", "CertificateArn=" .. arn, "--with",
      "with.lua", "--max-wait", "5m")
  end)

  it("is what a journal says", function()
    local words = { "aws", "acm", "CertificateArn=arn:aws:acm:::cert/PENDING_VALIDATION", "--with", "with.lua",
      "--max-wait", "5m", "--journal", "journal", "--max-attempts", "1" }
    assert.equal(4, run(table.unpack(words)).code)
    assert.matches("acm.json", (succeed("journal", "list", "--journal", "journal")), 1, true)
  end)

  it("is named with the nearest name where it is misspelt", function()
    assert.equal('bide: aws:rdss: no service with waiters has that name; did you mean "aws:rds"?\n',
      fail("aws", "rdss", "x", "--max-wait", "50s"))
    assert.matches('no waiter is called "db-instance-availble"; did you mean "DBInstanceAvailable"?\n',
      fail("aws", "rds", "db-instance-availble", "--max-wait", "50s"), 1, true)
    assert.matches('no waiter is called "DBInstanceAvailble"; did you mean "DBInstanceAvailable"?\n',
      fail("aws", "rds", "DBInstanceAvailble", "--max-wait", "50s"), 1, true)
    assert.matches('no waiter is called "instance_runing"; did you mean "InstanceRunning"?\n',
      fail("aws", "ec2", "instance_runing", "--help"), 1, true)
    assert.matches('no waiter is called "ready"; bide list aws:ec2 lists its 43 waiters\n',
      fail("aws", "ec2", "ready", "--max-wait", "50s"), 1, true)
    for _, name in ipairs { "aws:", "aws:nothing.like.it", "aws:/etc/passwd" } do
      assert.matches("bide aws lists them\n$", fail("run", name, "--max-wait", "50s"))
    end
    assert.matches('aws:../acm: no service with waiters has that name', fail("run", "aws:../acm", "--max-wait", "50s"), 1, true)
  end)

  it("has a page of its own in boto3's spelling too", function()
    local page = succeed("aws", "ec2", "instance_running", "--help")
    assert.matches("^Waiters:\n  InstanceRunning [^\n]*\n\nInputs:\n", page)
    assert.matches("bide run aws:ec2 InstanceRunning ", page, 1, true)
  end)

  it("is hinted at where it is taken for a command", function()
    assert.matches(": the service of AWS is bide aws rds\n", fail("rds", "DBInstanceAvailable"), 1, true)
    for _, words in ipairs { { "run", "rds", "x", "--max-wait", "5s" }, { "help", "rds" }, { "show", "rds" } } do
      assert.matches('; did you mean "aws:rds"?\n', fail(table.unpack(words)), 1, true)
    end
  end)

  it("says without --max-wait how long botocore waits", function()
    for _, waiter in ipairs { "DBInstanceAvailable", "db-instance-available", "db_instance_available" } do
      assert.matches("--max-wait 30m, as long as botocore waits for DBInstanceAvailable\n", fail("aws", "rds", waiter), 1, true)
    end
  end)

  it("warns of a wait that polls only once", function()
    local words = { "aws", "acm", "CertificateArn=arn:aws:acm:::cert/x", "--with", "with.lua", "--max-wait" }
    words[7] = "1m"
    assert.matches("warning: CertificateValidated polls only once: its least delay, 1 m, is not below the max wait; "
      .. "--min-delay shortens it\n", run(table.unpack(words)).stderr, 1, true)
    words[7], words[8], words[9] = "0.1s", "--min-delay", "0.06s"
    assert.is_nil(run(table.unpack(words)).stderr:find "only once")
  end)

  it("is refused in the sandbox", function()
    for _, words in ipairs { { "run", "aws:acm", "--max-wait", "5s" }, { "aws", "acm", "--max-wait", "5s" }, { "plan", "aws:acm",
      "--max-wait", "5s" }, { "list", "aws:acm" }, { "check", "aws:acm" }, { "show", "aws:acm" } } do
      words[#words + 1] = "--sandbox"
      assert.matches("aws:acm: --sandbox refuses the services of AWS, whose requests need your credentials\n",
        fail(table.unpack(words)), 1, true)
    end
    assert.matches("aws:: --sandbox refuses", fail("list", "aws:", "--sandbox"), 1, true)
    workspace:write("waits.json", '[{"recipe": "aws:acm"}]')
    assert.matches("--sandbox refuses", fail("run", "waits.json", "--max-wait", "50s", "--sandbox"), 1, true)
  end)

  it("is in lists, with its file and the version of its API", function()
    local text = succeed "aws"
    assert.equal(text, (succeed("list", "aws:")))
    assert.matches("\n  acm +1  2015%-12%-08   AWS Certificate Manager\n", text)
    text = succeed("aws", "acm")
    assert.equal(text, (succeed("list", "aws:acm")))
    assert.matches("^aws:acm %(API version 2015%-12%-08, %S+/scripts/aws/acm.json%)\n", text)
    assert.matches("botocore waits at most 5 m", text, 1, true)
    assert.matches("CertificateArn  string, required", text, 1, true)
    assert.matches("bide aws lists", (succeed "list"), 1, true)
    local list = json.decode((succeed("list", "aws:", "aws:acm", "--output", "json")))
    assert.same({ "acm", "aws:acm", { "CertificateValidated" } }, { list[1].service, list[1].recipe, list[1].waiters })
    assert.same({ "aws:acm", "2015-12-08" }, { list[#list].recipe, list[#list].apiVersion })
    assert.same(list[1], json.decode((succeed("aws", "--output", "json")))[1])
    for _, words in ipairs { { "acm", "--output", "json" }, { "--output", "json", "acm" }, { "acm", "--output=json" } } do
      assert.same({ list[#list] }, json.decode((succeed("aws", table.unpack(words)))))
    end
  end)

  it("has a page for a waiter", function()
    local page = succeed("aws", "rds", "db-instance-available", "--help")
    assert.matches("Waiters:\n  DBInstanceAvailable[^\n]*\n\nInputs:\n", page)
    assert.matches("bide run aws:rds DBInstanceAvailable --max-wait 30m\n", page, 1, true)
    assert.matches("^Usage: bide aws %[SERVICE", (succeed("aws", "--help")))
    assert.matches("is bide run aws:SERVICE", (succeed("aws", "--help")):gsub("%s+", " "), 1, true)
  end)

  it("is completed", function()
    local function complete(...) return (succeed("completion", "words", "--", ...)) end
    assert.equal("cloudformation\ncloudfront\n", complete("aws", "cloudf"))
    assert.equal("aws:cloudformation\naws:cloudfront\n", complete("run", "aws:cloudf"))
    assert.equal("aws\naws:\n", complete("run", "aw"):gsub("^", "aws\n"))
    assert.equal("StackCreateComplete\n", complete("aws", "cloudformation", "StackCr"))
    assert.equal("stack-create-complete\n", complete("run", "aws:cloudformation", "stack-cr"))
    assert.equal("CertificateArn=\n", complete("aws", "acm", "CertificateValidated", "CertificateA"))
    assert.equal("--smithy\n", complete("aws", "pack", "botocore/data", "--s"))
    assert.equal("", complete("aws", "pack", "boto"))
  end)

  it("is read from an installed botocore that is newer", function()
    install(BOTOCORE, "acm", "2015-12-08", "1.999.0")
    install(BOTOCORE, "things", "2020-01-01", "1.999.0")
    assert.matches("^aws:acm %(API version 2015%-12%-08, %S+/botocore/data/acm/2015%-12%-08/waiters%-2.json%)\n  ThingReady",
      (succeed("list", "aws:acm")))
    assert.matches("\n  things +1  2020%-01%-01", (succeed "aws"))
    assert.matches("--max-wait 6s, as long as botocore waits for ThingReady", fail("aws", "things", "ThingReady"), 1, true)
    assert.matches("scripts/aws/rds.json", (succeed("list", "aws:rds")), 1, true)
  end)

  it("is read from compressed files", function()
    local data = install(BOTOCORE, "things", "2020-01-01", "1.999.0")
    os.execute(("gzip %s/%sservice-2.json"):format(workspace.path, data))
    assert.matches("Names  list of string, required", (succeed("aws", "things")), 1, true)
  end)

  it("has the endpoint rules of compressed files", function()
    local data = install(BOTOCORE, "things", "2020-01-01", "1.999.0")
    workspace:write(data .. "endpoint-rule-set-1.json", json.encode { parameters = {}, rules = {
      { type = "endpoint", conditions = json.array {}, endpoint = { url = "https://of-the-rules.invalid" } } } })
    os.execute(("gzip %s/%s/*-1.json %s/%s/service-2.json"):format(workspace.path, data, workspace.path, data))
    local done = workspace:bide({ "aws", "things", "thing-ready", "Names=a", "--max-wait", "50s" }, { env = {
      HOME = workspace.path, AWS_ACCESS_KEY_ID = "AK", AWS_SECRET_ACCESS_KEY = "none", AWS_REGION = "eu-west-1",
      XDG_DATA_HOME = false, VIRTUAL_ENV = false } })
    assert.matches("cannot resolve the name of of-the-rules.invalid:443", done.stderr, 1, true)
  end)

  it("is bide's own where what is installed is older, or of another way to count", function()
    for _, release in ipairs { "1.9.0", "1.43.10", "2.0.0dev155" } do
      install(BOTOCORE, "acm", "2015-12-08", release)
      assert.matches("scripts/aws/acm.json", (succeed("list", "aws:acm")), 1, true)
    end
  end)

  it("is read from an AWS CLI 2 whose API is newer", function()
    install("cli/dist/awscli/botocore", "acm", "2099-01-01", "2.0.0dev155")
    workspace:write("cli/dist/aws", "")
    assert(uv.fs_symlink(workspace.path .. "/cli/dist/aws", workspace.path .. "/aws"))
    assert.matches("API version 2099-01-01, ", (succeed("list", "aws:acm")), 1, true)
  end)

  it("is bide's own, with a warning, where newer data are broken", function()
    local data = install(BOTOCORE, "acm", "2015-12-08", "1.999.0")
    for _, broken in ipairs { "{", '{"version": 2, "waiters": {"X": {"operation": "Y", "acceptors": [{"matcher": "odd"}]}}}',
      '{"version": 2, "waiters": []}' } do
      workspace:write(data .. "waiters-2.json", broken)
      local _, warning = succeed("aws", "acm", "certificate-validated", "CertificateArn=arn:aws:acm:::cert/SUCCESS",
        "--with", "with.lua", "--max-wait", "5m")
      assert.matches("^bide: warning: %S+/waiters%-2.json:[^\n]*; other data of aws:acm are used\n", warning)
    end
    workspace:write(data .. "waiters-2.json", waiters)
    workspace:write(data .. "service-2.json.gz", "not compressed")
    os.remove(workspace.path .. "/" .. data .. "service-2.json")
    local _, warning = succeed("aws", "acm", "certificate-validated", "CertificateArn=arn:aws:acm:::cert/SUCCESS",
      "--with", "with.lua", "--max-wait", "5m")
    assert.matches("^bide: warning: %S+/service%-2.json.gz: gzip: [^\n]*; other data of aws:acm are used\n", warning)
  end)

  it("is not looked at beyond the waiter that is named", function()
    local data = install(BOTOCORE, "acm", "2015-12-08", "1.999.0")
    local other = '"waiters": {"%s": {"operation": "GetThing", "delay": 2, "maxAttempts": 3, "acceptors": [{"state": "success", '
      .. '"matcher": "path", "argument": "State[", "expected": "ON"}]}, '
    local function write(name) workspace:write(data .. "waiters-2.json", (waiters:gsub('"waiters": {', other:format(name)))) end
    local line = { "aws", "acm", "thing-ready", "Names=a", "--with", "things.lua", "--max-wait", "5m" }
    workspace:write("things.lua", "return { GetThing = function() return { State = 'ON' } end }")
    write "Other"
    assert.not_matches("warning", (select(2, succeed(table.unpack(line)))))
    assert.matches("scripts/aws/acm.json", (succeed("list", "aws:acm")), 1, true) -- which looks at both
    write "Thingready" -- which of the two is meant cannot be known
    assert.matches("; other data of aws:acm are used\n", run(table.unpack(line)).stderr)
  end)

  it("is bide's own where an index is broken", function()
    os.execute(("mkdir -p %s/.local/share/bide/aws"):format(workspace.path))
    for _, broken in ipairs { "", "[]", '{"services": 5}', '{"services": {"acm": 5, "../x": {}}, "botocore": 7}',
      '{"botocore": "1.999.0", "services": {"acm": {"apiVersion": "2", "waiters": {"X": 5}}}}' } do
      workspace:write(".local/share/bide/aws/index.json", broken)
      assert.matches("scripts/aws/acm.json", (succeed("list", "aws:acm")), 1, true)
      assert.matches("\n  acm +1  2015%-12%-08", (succeed "aws"))
    end
    workspace:write(".local/share/bide/aws/index.json",
      '{"botocore": "1.999.0", "services": {"acm": {"apiVersion": "2", "waiters": {"X": {}}}}}')
    local text, warning = succeed("plan", "aws:acm", "--max-wait", "5s")
    assert.matches("^CertificateValidated: ", text)
    assert.matches("aws/acm.json: no such file or directory; other data of aws:acm are used\n", warning, 1, true)
  end)

  it("is not read beside a program in the current folder", function()
    install("lib/python3.11/site-packages/botocore", "acm", "2015-12-08", "1.999.0")
    os.execute(("mkdir %s/bin"):format(workspace.path))
    workspace:write("bin/aws", "")
    local function list(path)
      return workspace:bide({ "list", "aws:acm" }, { env = { PATH = path, HOME = "/nowhere", VIRTUAL_ENV = false } }).stdout
    end
    assert.matches("scripts/aws/acm.json", list "bin", 1, true)
    assert.matches("lib/python3.11/site-packages", list(workspace.path .. "/bin"), 1, true)
  end)

  it("is read from the folders of BIDE_AWS_MODELS first", function()
    install("old/botocore", "acm", "2010-01-01", "1.2.3")
    local function list(models)
      return workspace:bide({ "plan", "aws:acm", "--max-wait", "5s" }, { env = { BIDE_AWS_MODELS = models } })
    end
    assert.matches("^ThingReady: ", list(workspace.path .. "/old/botocore/data").stdout)
    assert.matches("^ThingReady: ", list("/nowhere:" .. workspace.path .. "/old/botocore/data/").stdout)
    local done = list "/nowhere"
    assert.matches("^CertificateValidated: ", done.stdout)
    assert.equal("bide: warning: BIDE_AWS_MODELS: /nowhere: no data of AWS's services, since it has no partitions.json\n",
      done.stderr)
  end)

  it("is packed into the user's folder, where it counts while it is newer", function()
    install("new/botocore", "things", "2020-01-01", "1.999.0")
    assert.equal(("1 services packed into %s/.local/share/bide/aws\n"):format(workspace.path),
      (succeed("aws", "pack", "new/botocore/data")))
    assert.matches(".local/share/bide/aws/things.json", (succeed("list", "aws:things")), 1, true)
    install("other/botocore", "others", "2020-01-01", "1.2.0")
    succeed("aws", "pack", "other/botocore/data")
    assert.is_nil(uv.fs_stat(workspace.path .. "/.local/share/bide/aws/things.json"))
    assert.truthy(uv.fs_stat(workspace.path .. "/.local/share/bide/aws/others.json"))
    assert.matches("aws:others: no service with waiters has that name", fail("list", "aws:others"), 1, true)
  end)

  it("is packed into another folder, or not at all", function()
    install("new/botocore", "things", "2020-01-01", "1.999.0")
    assert.equal("1 services packed into packed\n", (succeed("aws", "pack", "new/botocore/data", "-o", "packed")))
    assert.matches("^ThingReady:", (succeed("plan", "packed/things.json", "--max-wait", "5s")))
    assert.matches("expected a folder of botocore's data", fail("aws", "pack", "packed"), 1, true)
    assert.matches("usage", fail("aws", "pack"):lower() .. "usage", 1, true)
    workspace:write("file", "")
    local done = run("aws", "pack", "new/botocore/data", "-o", "file/below")
    assert.equal(1, done.code)
    assert.matches("^bide: file/below/", done.stderr)
  end)
end)
