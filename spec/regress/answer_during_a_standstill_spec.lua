---What a stopped process, or a machine that sleeps, gets while it does not run has come at an unknown time: an answer that it
---finds after its deadline is no success, whenever the service sent it.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local port = require "spec.support.port"
local uv = require "luv"

---Answers a request once there is a file, and makes another one then.
local SERVER <const> = [[
import http.server, os, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print("asked", flush=True)
        while not os.path.exists(sys.argv[2]): time.sleep(0.02)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
        print("answered", flush=True)
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("ready", flush=True)
server.serve_forever()
]]

describe("an answer that came while the process was stopped", function()
  local workspace = Workspace.of_each()

  for name, after in pairs { ["before its deadline"] = 0, ["after its deadline"] = 1500 } do
    it("is no success once the deadline is over: " .. name, function()
      local number, marker = port.free(), workspace.path .. "/go"
      local server = process.start { "python3", "-c", SERVER, tostring(number), marker }
      server:wait_for_output "ready"
      local wait = workspace:start { "http", "127.0.0.1:" .. number, "--max-wait", "1s", "--output", "json" }
      server:wait_for_output "asked"
      wait:kill "sigstop"
      uv.sleep(after)
      workspace:write("go", "")
      server:wait_for_output "answered"
      uv.sleep(1500 - after)
      wait:kill "sigcont"
      local done = wait:wait()
      server:kill()
      done:prints(124, '"reason": "maxWait"')
    end)
  end
end)
