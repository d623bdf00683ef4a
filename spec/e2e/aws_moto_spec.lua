---Waiters of AWS by the real binary against moto: each waiter whose operation moto has succeeds, and fails where a failure
---can be made. What moto cannot do is listed here, so that every waiter of bide's data is in one of the two places.

local Examples = require "spec.support.examples"
local Workspace = require "spec.support.workspace"
local moto = require "spec.support.aws.moto"
local process = require "spec.support.process"
local json = require("bide.core").json
local read = require "spec.support.read"

local WAITED = [[
acm acm-pca amp autoscaling bedrock-agentcore-control cloudformation cloudfront cloudwatch codedeploy dms docdb dsql dynamodb
ec2 ecr ecs eks elasticache elasticbeanstalk elb elbv2 emr glacier iam kinesis lambda lexv2-models mediaconnect medialive neptune
rds redshift route53 s3 sagemaker ses ssm transcribe transfer]]

---The services that moto does not have, or of which it has none of the operations that waiters call.
local ABSENT = [[
appconfig appstream arc-region-switch b2bi cloudcontrol codeguru-reviewer deadline ds elementalinference gameliftstreams
groundstation healthlake interconnect iotsitewise location machinelearning macie2 mediapackagev2 neptune-graph omics proton
rekognition repostspace route53-recovery-control-config rtbfabric schemas signer simpledbv2 ssm-incidents]]

---The other waiters whose operation moto does not have.
local WITHOUT_OPERATION = {
  ["acm-pca"] = "AuditReportCreated",
  amp = "AnomalyDetectorActive AnomalyDetectorDeleted ScraperActive ScraperDeleted",
  ["bedrock-agentcore-control"] = "PolicyActive PolicyDeleted PolicyEngineActive PolicyEngineDeleted "
    .. "PolicyGenerationCompleted",
  cloudformation = "StackRefactorCreateComplete StackRefactorExecuteComplete TypeRegistrationComplete",
  cloudfront = "InvalidationForDistributionTenantCompleted StreamingDistributionDeployed",
  cloudwatch = "AlarmMuteRuleExists",
  dms = "ExtensionPackAssociated MetadataModelAssessed MetadataModelConversionCancelled MetadataModelConverted "
    .. "MetadataModelCreated MetadataModelCreationCancelled MetadataModelExportedAsScript "
    .. "MetadataModelExportedToTarget MetadataModelImported",
  dynamodb = "ContributorInsightsEnabled KinesisStreamingDestinationActive",
  ec2 = "BundleTaskComplete ConversionTaskCancelled ConversionTaskCompleted ConversionTaskDeleted ExportTaskCancelled "
    .. "ExportTaskCompleted ImageUsageReportAvailable SecondaryNetworkCreateComplete SecondaryNetworkDeleteComplete "
    .. "SecondarySubnetCreateComplete SecondarySubnetDeleteComplete SecurityGroupVpcAssociationAssociated "
    .. "SecurityGroupVpcAssociationDisassociated SnapshotImported StoreImageTaskComplete",
  ecr = "LifecyclePolicyPreviewComplete",
  ecs = "DaemonActive DaemonDeploymentStopped DaemonDeploymentSuccessful DaemonTaskDefinitionActive "
    .. "DaemonTaskDefinitionDeleted",
  eks = "AddonActive AddonDeleted",
  ["lexv2-models"] = "BotExportCompleted BotImportCompleted BotLocaleBuilt BotLocaleCreated "
    .. "BotLocaleExpressTestingAvailable BotVersionAvailable",
  mediaconnect = "InputActive InputDeleted InputStandby OutputActive OutputDeleted OutputRouted OutputStandby "
    .. "OutputUnrouted",
  medialive = "ChannelPlacementGroupAssigned ChannelPlacementGroupDeleted ChannelPlacementGroupUnassigned ClusterCreated "
    .. "ClusterDeleted MultiplexCreated MultiplexDeleted MultiplexRunning MultiplexStopped NodeDeregistered "
    .. "NodeRegistered SignalMapCreated SignalMapMonitorDeleted SignalMapMonitorDeployed SignalMapUpdated",
  rds = "TenantDatabaseAvailable TenantDatabaseDeleted",
  sagemaker = "ImageCreated ImageDeleted ImageUpdated ImageVersionCreated ImageVersionDeleted",
  transcribe = "CallAnalyticsJobCompleted LanguageModelCompleted MedicalScribeJobCompleted",
}

---The waiters that cannot succeed, since moto answers otherwise than AWS.
local OTHERWISE = {
  ["dms EndpointDeleted"] = "an empty list for ResourceNotFoundFault",
  ["dms ReplicationInstanceDeleted"] = "an empty list for ResourceNotFoundFault",
  ["dms ReplicationTaskDeleted"] = "an empty list for ResourceNotFoundFault",
  ["elasticbeanstalk EnvironmentTerminated"] = "all environments, whatever names the request has",
  ["glacier VaultNotExists"] = "VaultNotFound for ResourceNotFoundException",
}

---The waiters with acceptors for failure that fail nowhere here.
local UNFAILING = {
  ["acm-pca CertificateAuthorityCSRCreated"] = "moto refuses nobody: AccessDeniedException",
  ["acm-pca CertificateIssued"] = "moto refuses nobody: AccessDeniedException",
  ["ecr ImageScanComplete"] = "moto answers COMPLETE whatever the scan was",
  ["lambda FunctionUpdated"] = "moto answers Successful whatever the update was",
  ["lambda FunctionUpdatedV2"] = "moto answers Successful whatever the update was",
}

---The waiters of a service as bide's own data have them; none for a file of another kind.
local function waiters_of(service)
  local file <close> = assert(io.open("scripts/aws/" .. service .. ".json"))
  local waiters = {}
  for _, shape in pairs(json.decode(file:read "a").shapes or {}) do
    for name, waiter in pairs(shape.type == "operation" and shape.traits["smithy.waiters#waitable"] or {}) do
      waiters[name] = waiter
    end
  end
  return waiters
end

local function services()
  local list <close> = assert(io.popen "ls scripts/aws/*.json")
  return list:read("a"):gmatch "([^/]+)%.json"
end

describe("against moto,", function()
  local _, missing = moto.find()
  if missing then
    pending(missing)
    return
  end

  local workspace = Workspace.of_block()
  local server
  setup(function() server = moto.serve() end)
  teardown(function() server:stop() end)

  local options = { env = { AWS_REGION = "us-east-1", AWS_ACCESS_KEY_ID = "testing", AWS_SECRET_ACCESS_KEY = "testing",
    AWS_SESSION_TOKEN = false, AWS_PROFILE = false, AWS_EC2_METADATA_DISABLED = "true", BIDE_AWS_MODELS = false } }

  ---The command line of a wait; the pause between attempts is short.
  local function words_of(...)
    local words = table.pack("aws", ...)
    return table.move({ "--endpoint", server.url, "--interval", "50ms", "--max-wait", "10s" }, 1, 6, #words + 1, words)
  end

  -- ---- every waiter -----------------------------------------------------------------------------

  it("all resources can be made", function()
    assert.same({}, server.mistakes)
  end)

  local function mismatch(service, case)
    local outcome = workspace:outcome(words_of(service, case.waiter, "--input", json.encode(case.input)), options)
    local is_expected = outcome.state == case.expected and outcome.reason ~= "maxWait" and outcome.reason ~= "unmatchedError"
    return not is_expected and ("%s: wanted %s: %s"):format(case.waiter, case.expected, outcome.message) or nil
  end

  for service in WAITED:gmatch "%S+" do
    it("the waiters of " .. service .. " succeed and fail", function()
      local mismatches = {}
      for _, case in ipairs(server.cases[service]) do table.insert(mismatches, mismatch(service, case)) end
      assert.same({}, mismatches)
    end)
  end

  local function reached(expected)
    local found = {}
    for service, cases in pairs(server.cases) do
      for _, case in ipairs(cases) do
        if case.expected == expected then found[service .. " " .. case.waiter] = true end
      end
    end
    return found
  end

  it("every waiter is reached, or is known not to be", function()
    local found = reached "success"
    local function add(name)
      assert.is_nil(found[name], name)
      found[name] = true
    end
    for service, names in pairs(WITHOUT_OPERATION) do
      for name in names:gmatch "%S+" do add(service .. " " .. name) end
    end
    for name in pairs(OTHERWISE) do add(name) end
    for service in ABSENT:gmatch "%S+" do
      for name in pairs(waiters_of(service)) do add(service .. " " .. name) end
    end
    local wanted = {}
    for service in services() do
      for name in pairs(waiters_of(service)) do wanted[service .. " " .. name] = true end
    end
    assert.same(wanted, found)
  end)

  it("every waiter that is reached and can fail does, or is known not to", function()
    local failed, unfailing = reached "failure", {}
    for name in pairs(reached "success") do
      local service, waiter = name:match "(%S+) (%S+)"
      for _, acceptor in ipairs(waiters_of(service)[waiter].acceptors) do
        if acceptor.state == "failure" and not failed[name] then unfailing[name] = UNFAILING[name] or "?" end
      end
    end
    assert.same(UNFAILING, unfailing)
  end)

  -- ---- runs -------------------------------------------------------------------------------------

  it("a wait begins before its resource is there", function()
    local waiting = workspace:start(words_of("s3", "bucket-exists", "Bucket=late", "--verbose"), options)
    waiting:wait_for_output "attempt 2"
    local made = workspace:bide({ "run", "http", "--max-wait", "50s", "--input",
      json.encode { url = server.url .. "/late", method = "PUT" } })
    assert.equal(0, made.code, made.stderr)
    local done = waiting:wait()
    assert.matches("^BucketExists succeeded after %d+ attempts", done.stdout)
  end)

  it("a failure has the reason of the answer", function()
    local outcome = workspace:outcome(words_of("cloudformation", "change-set-create-complete", "StackName=stack-bad",
      "ChangeSetName=bad"), options)
    assert.matches('Status is "FAILED": The submitted information didn\'t contain changes%.$', outcome.message)
  end)

  it("a fleet of a hundred instances runs", function()
    local lines = {}
    for position, instance in ipairs(server.fleet) do lines[position] = json.encode { InstanceIds = { instance } } end
    workspace:write("fleet.jsonl", table.concat(lines, "\n"))
    local outcome = workspace:outcome(words_of("ec2", "instance-running", "--each", "fleet.jsonl"), options)
    assert.same({ "success", 100 }, { outcome.state, outcome.count })
  end)

  it("a waiter that botocore does not have runs from a folder of models", function()
    local copied = { "cp", "-r", server.botocore .. "/partitions.json", server.botocore .. "/autoscaling", "." }
    process.run(copied, { cwd = workspace.path, tool = true }):ends(0)
    local working = "contains(AutoScalingGroups[].[length(Instances[?LifecycleState=='InService']) >= MinSize][], `false`)"
    workspace:write("autoscaling/2011-01-01/waiters-2.json", json.encode { version = 2, waiters = { GroupInService = {
      operation = "DescribeAutoScalingGroups", delay = 15, maxAttempts = 40,
      acceptors = {
        { state = "success", matcher = "path", argument = working, expected = false },
        { state = "retry", matcher = "path", argument = working, expected = true },
      },
    } } })
    local env = { BIDE_AWS_MODELS = workspace.path }
    for name, value in pairs(options.env) do env[name] = env[name] or value end
    local outcome = workspace:outcome(words_of("autoscaling", "group-in-service", "AutoScalingGroupNames=workers"), { env = env })
    assert.equal("success", outcome.state, outcome.message)
  end)

  -- ---- pages ------------------------------------------------------------------------------------

  ---Runs a line of a page as a shell would, against moto.
  local function run_line(line)
    local settings = { ("export AWS_ENDPOINT_URL=%s"):format(server.url) }
    for name, value in pairs(options.env) do
      settings[#settings + 1] = value and ("export %s=%s"):format(name, value) or "unset " .. name
    end
    local command = line:gsub("^bide", '"$BIDE"'):gsub("i%-0123456789abcdef0", server.fleet[1])
    return workspace:shell(("%s; %s 2>&1"):format(table.concat(settings, "; "), command))
  end

  it("the lines beside those of the AWS CLI succeed", function()
    local count = 0
    for line in read("docs/aws.md"):gmatch "\n| `aws [^`]*` | `(bide aws [^`]*)` |" do
      count = count + 1
      local done = run_line(line)
      assert.equal(0, done.code, line .. ": " .. done.stdout)
    end
    assert.is_true(count >= 8)
  end)

  it("the lines of the README print what it shows", function()
    local shown, printed = read("README.md"):match "```text\n(%$ bide aws.-\n)```", {}
    for line in shown:gmatch "%$ (bide aws[^\n]*)" do
      table.insert(printed, "$ " .. line .. "\n" .. run_line(line).stdout)
    end
    assert.equal(Examples.without_numbers(shown), Examples.without_numbers(table.concat(printed)))
  end)
end)
