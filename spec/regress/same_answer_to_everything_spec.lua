---A program that sends one line to everybody was Redis without a key for `redis KeyGone chain=false`, Redis with it for
---`redis KeyExists`, and memcached for `memcached`.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local questions = {
  { "redis", "KeyGone", "@", "job", "chain=false" }, { "redis", "KeyGone", "@", "job" },
  { "redis", "KeyExists", "@", "job" }, { "redis", "KeyExists", "@", "job", "database=3", "value=OK" },
  { "redis", "RedisReady", "@" }, { "redis", "ReplicaLinked", "@", "chain=false" }, { "memcached", "@" },
}

local answers = {
  ":0\r\n", ":1\r\n", "+OK\r\n", "+PONG\r\n", "$2\r\nOK\r\n", "$-1\r\n", "*0\r\n", "-NOPERM no ping\r\n",
  "VERSION 1.6.18\r\n", "END\r\n", "STORED\r\n", "MN\r\n",
}

describe("a program that answers everything alike", function()
  local workspace = Workspace.of_block()

  ---Asks a server that writes what `answer` makes of each of its requests.
  local function ask(question, answer)
    local server = Server.start(nil, { raw = function(peer, bytes) peer:write(answer(bytes)) end })
    local words = {}
    for position, word in ipairs(question) do words[position] = word == "@" and "127.0.0.1:" .. server.port or word end
    for _, word in ipairs { "timeout=300ms", "--max-wait", "5s", "--max-attempts", "1", "--quiet" } do
      words[#words + 1] = word
    end
    local done = workspace:bide(words)
    server:close()
    return done
  end

  for _, question in ipairs(questions) do
    it("is not the service of " .. table.concat(question, " "), function()
      for _, answer in ipairs(answers) do
        for _, times in ipairs { 1, 4 } do
          local done = ask(question, function() return answer:rep(times) end)
          assert.is_true(done.code == 3 or done.code == 4, answer .. done.code .. done.stdout .. done.stderr)
        end
      end
      local done = ask(question, function(bytes) return bytes end)
      assert.is_true(done.code == 3 or done.code == 4, done.code .. done.stdout .. done.stderr)
    end)
  end

  it("is Redis where PING is answered with its word, by a proxy with PONG, or refused by name", function()
    local function word_of(bytes) return bytes:match "PING\r\n(%$%d+\r\n[%w-]+\r\n)" end
    local refusal = "-NOPERM User x has no permissions to run the 'ping' command\r\n"
    for _, answer in ipairs { word_of, "+PONG\r\n", refusal } do
      assert.equal(0, ask(questions[1], function(bytes)
        local word = word_of(bytes)
        return not word and ":0\r\n" or type(answer) == "string" and answer or word
      end).code)
    end
  end)
end)
