local chain = require "spec.support.aws.chain"
local tasks = require "bide.task.script_tasks"
local uv = require "luv"

local get, is_masked, mistake_of, prepare = chain.get, chain.is_masked, chain.mistake_of, chain.prepare

describe("credentials", function()
  after_each(chain.finish)

  describe("of the environment", function()
    local keys = { AWS_ACCESS_KEY_ID = "AKENV", AWS_SECRET_ACCESS_KEY = "environment-secret",
      AWS_SESSION_TOKEN = "environment-token" }

    it("come first, unless a profile is given", function()
      prepare("[default]\naws_access_key_id=AKDEF\naws_secret_access_key=default-secret\n", keys)
      local found = get()
      assert.same({ access_key = "AKENV", secret_key = "environment-secret", session_token = "environment-token",
        source = "the environment" }, found)
      is_masked("environment-secret", "environment-token")
      chain.home.variables.AWS_PROFILE = "default"
      assert.equal("AKENV", get().access_key)
      assert.equal("AKDEF", get { profile = "default" }.access_key)
      is_masked "default-secret"
    end)

    it("are refused if a half is missing, or has a blank in it", function()
      prepare("", { AWS_ACCESS_KEY_ID = "AK" })
      assert.equal("AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not", mistake_of())
      chain.home.variables = { HOME = chain.home.path, AWS_SECRET_ACCESS_KEY = "half-a-secret" }
      assert.equal("AWS_SECRET_ACCESS_KEY is set, and AWS_ACCESS_KEY_ID is not", mistake_of())
      chain.home.variables = { HOME = chain.home.path, AWS_ACCESS_KEY_ID = "AK", AWS_SECRET_ACCESS_KEY = "secret-with-end\r" }
      assert.equal("the environment: the secret key has a blank or a control character in it", mistake_of())
    end)
  end)

  it("that are nowhere are a mistake that says where was looked", function()
    prepare ""
    assert.equal("no AWS credentials: AWS_ACCESS_KEY_ID is not set, the profile default has none in ~/.aws/config and "
      .. "~/.aws/credentials, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not set, AWS_EC2_METADATA_DISABLED is set", mistake_of())
    assert.matches('^there is no profile "gone" in ~/.aws/config and ~/.aws/credentials$', mistake_of { profile = "gone" })
    chain.home:write(".aws/config", "binary\0secret-in-config")
    assert.equal("~/.aws/config: line 1: expected text, found a NUL byte; is the file in UTF-16?", mistake_of())
    assert.equal(0, #chain.server.requests)
  end)

  it("of a profile are read again after renew()", function()
    prepare "[default]\naws_access_key_id=AK1\naws_secret_access_key=first-secret\naws_session_token=first-token\n"
    local found = assert(chain.provider())
    local first = found:get()
    assert.equal("AK1", first.access_key)
    chain.home:write(".aws/config", "[default]\naws_access_key_id=AK2\naws_secret_access_key=second-secret\n")
    assert.equal("AK1", found:get().access_key)
    found:renew(first)
    assert.equal("AK2", found:get().access_key)
    found:renew(first)
    chain.home:write(".aws/config", "")
    assert.equal("AK2", found:get().access_key)
    found:renew()
    assert.is_nil(found:get())
    is_masked("first-secret", "first-token", "second-secret")
  end)

  -- ---- credential_process -------------------------------------------------------------------------

  describe("of a process", function()
    local function with(command)
      prepare("[default]\ncredential_process = " .. command .. "\n")
    end

    it("are what it prints, run by the shell as it is written", function()
      with [[TOKEN=process-token; printf '{"Version": 1, "AccessKeyId": "AKP", "SecretAccessKey": "%s", "SessionToken": "%s"}' \
  "process-secret" "$TOKEN"]]
      local found = assert(get())
      assert.same({ "AKP", "process-secret", "process-token" }, { found.access_key, found.secret_key, found.session_token })
      assert.equal("credential_process of the profile default (printf)", found.source)
      is_masked("process-secret", "process-token")
    end)

    it("are what a process with arguments on several lines prints", function()
      with [[printf '{"Version": 1, "AccessKeyId": "%s", "SecretAccessKey": "%s"}'
  AKL
  "process-lines-secret"]]
      assert.equal("AKL", assert(get()).access_key)
    end)

    it("are refused without a word of what it printed", function()
      local rows = {
        { "echo hush-hush-secret; echo hush-hush-secret >&2; exit 3", "ended with the exit code 3; run it to see why" },
        { "echo hush-hush-secret", ": on standard output: expected JSON, found something else" },
        { "echo '[\"hush-hush-secret\"]'", ": expected the Version 1 in what it printed" },
        { "echo '{\"AccessKeyId\": \"A\", \"SecretAccessKey\": \"hush-hush-secret\"}'",
          ": expected the Version 1 in what it printed" },
        { "echo '{\"Version\": 2, \"AccessKeyId\": \"A\", \"SecretAccessKey\": \"hush-hush-secret\"}'",
          ": expected the Version 1 in what it printed" },
        { "echo '{\"Version\": 1, \"AccessKeyId\": \"A\"}'", ": there is no secret key" },
        { "echo '{\"Version\": 1, \"AccessKeyId\": \"A\", \"SecretAccessKey\": \"hush-hush-secret\", \"Expiration\": \"soon\"}'",
          ": the time of expiry cannot be read" },
        { "/no/such/program hush-hush-secret", "ended with the exit code 127; run it to see why" },
        { "yes hush-hush-secret | head -c 100000000", "printed more than 256 KiB" },
        { "kill -9 $$", "ended with the exit code 137; run it to see why" },
      }
      for _, row in ipairs(rows) do
        with(row[1])
        local mistake = mistake_of()
        assert.matches(row[2], mistake, 1, true)
        assert.not_matches("hush", mistake)
        chain.finish()
      end
      with "true"
    end)

    it("are not waited for beyond the deadline of the wait", function()
      with "sleep 20"
      local began = uv.hrtime()
      local ok, failure = pcall(require("bide").timeout, 0.2, get)
      assert.is_false(ok)
      assert.equal("Timeout", failure.type)
      assert.is_true((uv.hrtime() - began) / 1e9 < 5)
    end)
  end)

  -- ---- renewal ------------------------------------------------------------------------------------

  describe("that expire", function()
    local variables = { AWS_CONTAINER_CREDENTIALS_FULL_URI = "{server}/container" }

    it("are kept while they last, and renewed five minutes before their end", function()
      prepare("", variables, { lifetime = 330 })
      local found = assert(chain.provider())
      assert.equal("ASIA1", found:get().access_key)
      assert.equal("ASIA1", found:get().access_key)
      found.identity.expiry = os.time() + 299
      assert.equal("ASIA2", found:get().access_key)
      assert.equal(2, #chain.server.requests)
    end)

    it("are kept until their end if they cannot be renewed", function()
      prepare("", variables, { lifetime = 200 })
      local found = assert(chain.provider())
      assert.equal("ASIA1", found:get().access_key)
      chain.server.options.answer = function() return { status = 500 } end
      for _ = 1, 3 do assert.equal("ASIA1", found:get().access_key) end
      assert.equal(2, #chain.server.requests) -- a poll does not wait for each try
      found.failed_at = os.time() - 31
      assert.equal("ASIA1", found:get().access_key)
      assert.equal(3, #chain.server.requests)
      found.identity.expiry = os.time() - 1
      local none, mistake = found:get()
      assert.is_nil(none)
      assert.matches("answered with the status 500$", mistake)
      chain.server.options.answer = nil
      assert.equal("ASIA2", found:get().access_key)
    end)

    it("are asked for once by all who ask at the same time", function()
      prepare("", variables)
      local found, got = assert(chain.provider()), {}
      chain.server.options.answer = function() return { delay = 0.05, status = 500 } end
      local function all()
        local children = {}
        for number = 1, 50 do children[number] = tasks.spawn(function() return found:get() end) end
        for number, child in ipairs(children) do got[number] = { child:join() } end
      end
      tasks.spawn(all):join()
      assert.equal(1, #chain.server.requests)
      assert.matches("answered with the status 500$", got[50][2])
      chain.server.options.answer = nil
      tasks.spawn(all):join()
      assert.equal(2, #chain.server.requests)
      assert.equal(got[1][1], got[50][1])
    end)
  end)
end)
