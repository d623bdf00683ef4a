---The files that `bide init` writes: a recipe that says what each part is for, and its cases. NAME is replaced by the name that
---the user gives.

local M = {}

M.recipe = [=[
-- Waits for a job of a service over HTTP. Change GetJob to how your service is asked, and the acceptors to what counts.
--
--   bide run ./NAME.lua 42 --max-wait 10m     waits for job 42
--   bide check ./NAME.lua                     finds mistakes before anybody waits
--   bide test NAME.wait.lua                   runs the cases, without a network
--   bide help recipe-format                   explains each member

local acceptor = require "bide.acceptor"
local http = require "bide.http"

return {
  -- An operation asks. Its waiters say what the answer means, and bide owns the clock, the delays and the deadline.
  GetJob = {
    -- The input, which the command line takes: it is checked before anything is sent, and shown by bide help ./NAME.lua.
    input = {
      id = { type = "string", required = true, positional = 1, documentation = "The job." },
      url = { type = "string", default = "http://localhost:8080", documentation = "The address of the service." },
      timeout = { type = "duration", default = "5s", documentation = "The time for one attempt." },
    },

    -- Reads the input once, and returns the function that makes each attempt.
    prepare = function(input)
      return http.prepare { url = input.url .. "/jobs/" .. input.id, timeout = input.timeout }
    end,

    waitable = {
      JobDone = {
        documentation = "Waits until a job has ended well.",

        -- Seconds between two attempts: they grow from the first to the second, with jitter.
        minDelay = 1,
        maxDelay = 30,

        -- The first one that matches decides. If none does, an answer leads to another attempt, and an error ends the wait.
        acceptors = {
          acceptor.output("success", "state", "done"),
          acceptor.output("failure", "state", "failed", "reason"), -- `reason` in the answer says why
          acceptor.transient(), -- another attempt after failed connections, timeouts, 429 and 5xx
        },
      },
    },
  },
}
]=]

M.cases = [=[
-- The cases of NAME.lua: what is asked, what comes back, and what must follow. The clock is virtual, and nothing is sent.
--
--   bide test NAME.wait.lua --min-coverage 100     also names acceptors that decide in no case
--   bide help test-a-recipe                      explains each member

---Returns an exchange: a request for job 42, and the answer to it.
local function answer(response)
  return { request = { method = "GET", url = "http://localhost:8080/jobs/42" }, response = response }
end

return {
  recipe = "./NAME.lua",
  {
    name = "a job that is done",
    waiter = "JobDone",
    input = { id = "42" },
    exchanges = {
      answer { json = { state = "running" } },
      answer { status = 503 },
      answer { json = { state = "done" } },
    },
    expect = {
      state = "success", attempts = 3, requests = 3,
      events = { { attempt = 2, acceptor = 3 }, { attempt = 3, acceptor = 1 } },
    },
  },
  {
    name = "a job that failed, and why",
    waiter = "JobDone",
    input = { id = "42" },
    exchanges = { answer { json = { state = "failed", reason = "the disk is full" } } },
    expect = { state = "failure", attempts = 1, message = "the disk is full" },
  },
  {
    name = "a job that does not end",
    waiter = "JobDone",
    input = { id = "42" },
    max_wait = "10m",
    exchanges = { answer { json = { state = "running" } } },
    expect = { state = "failure", reason = "maxWait", attempts = 39 },
  },
}
]=]

return M
