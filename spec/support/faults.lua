---The faults of spec/support/fault_server.lua: what a service sends in place of an answer.
---
---A fault is the bytes of an answer, after which the connection is closed, or a function that does what it likes
---with the peer.

local M = {}

M.GOOD = '{"status":"success"}'

local function answer(body, headers, status)
  return ("HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s"):format(status or "200 OK",
    headers or "Content-Type: application/json\r\n", #body, body)
end
M.answer = answer

local function typed(content_type, body)
  return answer(body, ("Content-Type: %s\r\n"):format(content_type))
end

local function lengths(...)
  local lines = {}
  for i, length in ipairs { ... } do lines[i] = ("Content-Length: %s\r\n"):format(length) end
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" .. table.concat(lines) .. "\r\n" .. M.GOOD
end

local function chunks(rest)
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" .. rest
end

---One chunk, with these headers.
local function framed(headers, body)
  body = body or M.GOOD
  return ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%s\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"):format(headers, #body, body)
end

---Sends the bytes and keeps the connection open.
local function stay(bytes)
  return function(peer) peer:write(bytes) end
end

---Sends the bytes and resets the connection once they are gone.
local function reset(bytes)
  return function(peer)
    if bytes ~= "" then peer:write(bytes) end
    peer:later(0.02, function() peer:reset() end)
  end
end

local function drip(peer)
  local bytes, at = answer((" "):rep(100000) .. M.GOOD), 0
  peer:later(0.02, function()
    at = at + 1
    peer:write(bytes:sub(at, at))
  end, true)
end

---Writes as fast as the other side reads, and never ends.
local function endless(peer)
  local piece = ("x"):rep(65536)
  peer.handle:write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
  local function more(failure)
    if failure or peer.handle:is_closing() then return end
    peer.handle:write(piece, more)
  end
  more()
end

---What a shell command prints.
local function printed(command)
  local pipe = assert(io.popen(command))
  local bytes = pipe:read("a")
  pipe:close()
  return bytes
end

local function encoded(codings, bytes)
  return answer(bytes, ("Content-Type: application/json\r\nContent-Encoding: %s\r\n"):format(codings))
end

local function gzip(bytes) return encoded("gzip", bytes) end

local gzipped = printed(("printf '%%s' '%s' | gzip -n"):format(M.GOOD))
local gzipped_twice = printed(("printf '%%s' '%s' | gzip -n | gzip -n"):format(M.GOOD))

---Of zlib with this size of its window; a negative one leaves out its header.
local function deflated(window)
  return printed(([[python3 -c "
import sys, zlib
z = zlib.compressobj(9, zlib.DEFLATED, %d)
sys.stdout.buffer.write(z.compress(b'%s') + z.flush())"]]):format(window, M.GOOD:gsub('"', '\\"')))
end

local deflated_by_zlib, deflated_raw = deflated(15), deflated(-15)

---Twice what bide takes of a body.
local bomb = printed "head -c 67108864 /dev/zero | gzip -1"
local bomb_twice = printed "head -c 1073741824 /dev/zero | gzip -1 | gzip -1"

local many_headers = {}
for i = 1, 50000 do many_headers[i] = ("X-Header-%d: value\r\n"):format(i) end

local function redirect(address)
  return answer("", ("Location: %s\r\n"):format(address), "302 Found")
end

---@type table<string, string|fun(peer: spec.Peer)>
M.faults = {
  -- the connection
  close = "",
  hang = stay "",
  hangheaders = stay "HTTP/1.1 200 OK\r\nContent-Le",
  hangbody = stay "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
  drip = drip,
  rst = reset "",
  rstbody = reset 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a"',

  -- the status line and the headers
  midstatus = "HTTP/1.1 2",
  afterstatus = "HTTP/1.1 200 OK\r\n",
  midheaders = "HTTP/1.1 200 OK\r\nContent-Le",
  midvalue = "HTTP/1.1 200 OK\r\nContent-Type: application/js",
  afterheader = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
  midblank = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r",
  errorcut = "HTTP/1.1 503 Service Unavailable\r\nRetry-Af",
  continuecut = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Le",
  garbagestatus = "HTTP/1.1 abc OK\r\n\r\n",
  binary = "\0\1\2\3\255\254\r\n\r\n",
  ssh = "SSH-2.0-OpenSSH_9.2p1\r\n",
  status99 = answer(M.GOOD, nil, "99 Low"),
  status1000 = answer(M.GOOD, nil, "1000 High"),
  http09 = M.GOOD,
  feeds = (answer(M.GOOD):gsub("\r\n", "\n")),
  nocolon = answer(M.GOOD, "nothing\r\n"),
  http10 = "HTTP/1.0 200 OK\r\n\r\n" .. M.GOOD,
  hugeheader = "HTTP/1.1 200 OK\r\nX-Huge: " .. ("x"):rep(2 << 20) .. "\r\n\r\n" .. M.GOOD,
  hugestatus = "HTTP/1.1 200 " .. ("x"):rep(2 << 20) .. "\r\n\r\n" .. M.GOOD,
  hugetrailer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Huge: " .. ("x"):rep(9000) .. "\r\n\r\n",
  manyheaders = answer(M.GOOD, table.concat(many_headers)),

  -- statuses that come before, or have no body
  ["100"] = "HTTP/1.1 100 Continue\r\n\r\n" .. answer(M.GOOD),
  ["100only"] = "HTTP/1.1 100 Continue\r\n\r\n",
  ["103"] = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" .. answer(M.GOOD),
  upgrade = stay "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
  ["204body"] = "HTTP/1.1 204 No Content\r\n\r\n" .. M.GOOD,
  ["205"] = answer("", nil, "205 Reset Content"),
  ["206"] = answer(M.GOOD, nil, "206 Partial Content"),
  ["304"] = "HTTP/1.1 304 Not Modified\r\n\r\n",

  -- the length of the body
  midbody = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"status":',
  clshort = lengths(5),
  cllong = lengths(1000),
  clneg = lengths(-5),
  clgarbage = lengths "abc",
  cltwo = lengths(#M.GOOD, 5),
  cltwofirst = lengths(5, #M.GOOD),
  cltwosame = lengths(#M.GOOD, #M.GOOD),
  cllist = lengths(("%d, %d"):format(#M.GOOD, #M.GOOD)),
  cllisttwo = lengths(("%d, 5"):format(#M.GOOD)),
  cltail = lengths(#M.GOOD .. "abc"),
  clnone = lengths "",
  clhuge = lengths "99999999999999999999",
  clchunks = framed("Content-Length: 20\r\nTransfer-Encoding: chunked"),
  clchunkstwo = framed("Content-Length: 5\r\nTransfer-Encoding: chunked"),
  tegzip = framed("Transfer-Encoding: gzip, chunked", gzipped),
  tegzipcut = framed("Transfer-Encoding: gzip, chunked", gzipped:sub(1, -14)),
  techunkedtwice = framed("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
  teunknown = framed("Transfer-Encoding: rot13, chunked"),
  extra = answer(M.GOOD) .. "HTTP/1.1 500 No\r\n\r\n",
  chunktrunc = chunks "14\r\n{\"sta",
  chunknoend = chunks(("%x\r\n%s\r\n"):format(#M.GOOD, M.GOOD)),
  chunklastcut = chunks(("%x\r\n%s\r\n0\r\n"):format(#M.GOOD, M.GOOD)),
  chunkneg = chunks(("-%x\r\n%s\r\n0\r\n\r\n"):format(#M.GOOD, M.GOOD)),
  chunkhuge = chunks(("ffffffffffffffff%x\r\n%s\r\n0\r\n\r\n"):format(#M.GOOD, M.GOOD)),
  chunkshort = chunks(("5\r\n%s\r\n0\r\n\r\n"):format(M.GOOD)),
  chunkbad = chunks "zz\r\n" .. M.GOOD,
  trailercut = chunks(("%x\r\n%s\r\n0\r\nX-Trail"):format(#M.GOOD, M.GOOD)),
  endless = endless,

  -- the body
  empty = answer "",
  blank = answer " \n",
  badjson = answer '{"status": success}',
  cutjson = answer '{"status":"succ',
  html = typed("text/html; charset=utf-8", "<html><body>under maintenance</body></html>"),
  htmlasjson = answer "<html><body>under maintenance</body></html>",
  xml = typed("application/xml", "<Status>success</Status>"),
  brokentext = typed("text/plain", '{"status":"succ'),
  brokenproblem = typed("application/problem+json; charset=utf-8", "{"),
  brokenamz = typed("application/x-amz-json-1.1", "{"),
  brokentextjson = typed("TEXT/JSON", "{"),
  untyped = answer("no JSON", ""),
  oddtype = typed("\27[31mred", "no JSON"),
  jsonastext = typed("text/plain", M.GOOD),
  jsonuntyped = answer(M.GOOD, ""),
  bom = answer("\u{FEFF}" .. M.GOOD),
  utf16 = answer("\xFE\xFF" .. M.GOOD:gsub(".", "\0%0")),
  latin1 = answer '{"status":"succ\xE8s"}',
  dupkey = answer '{"status":"failed","status":"success"}',
  deep = answer(("["):rep(100000) .. ("]"):rep(100000)),
  nul = answer '{"status":"success\\u0000"}',
  nan = answer '{"status":"success","size":NaN}',
  surrogate = answer '{"status":"success","name":"\\ud83d"}',
  hugenumber = answer '{"status":"success","size":1e999}',
  tinynumber = answer '{"status":"success","size":1e-999}',

  -- its encoding
  gzipok = gzip(gzipped),
  gzipbad = gzip "no gzip at all",
  gziptrunc = gzip(gzipped:sub(1, -14)),
  gziptail = gzip(gzipped .. "tail"),
  gzipcrc = gzip(gzipped:sub(1, -9) .. "\0\0\0\0" .. gzipped:sub(-4)),
  gzipmembers = gzip(printed("printf '%s' '{\"status\":' | gzip -n") .. printed("printf '%s' '\"success\"}' | gzip -n")),
  gzipempty = gzip "",
  gzipnothing = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
  gzipclose = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" .. gzipped:sub(1, -14),
  gzipchunks = framed("Content-Encoding: gzip\r\nTransfer-Encoding: chunked", gzipped),
  gzipchunkscut = framed("Content-Encoding: gzip\r\nTransfer-Encoding: chunked", gzipped:sub(1, -14)),
  gziptwice = encoded("gzip, gzip", gzipped_twice),
  gziptwicecut = encoded("gzip, gzip", gzipped_twice:sub(1, -14)),
  gzipinnercut = encoded("gzip, deflate", deflated_by_zlib),
  xgzip = encoded("identity, X-GZIP", gzipped),
  deflate = encoded("deflate", deflated_by_zlib),
  deflateraw = encoded("deflate", deflated_raw),
  deflatecut = encoded("deflate", deflated_by_zlib:sub(1, -3)),
  deflaterawcut = encoded("deflate", deflated_raw:sub(1, -3)),
  br = encoded("br", "\x0b\x09\x80" .. M.GOOD .. "\x03"),
  zstd = encoded("zstd", "\x28\xb5\x2f\xfd"),
  gzipbomb = gzip(bomb),
  gzipbombtwice = encoded("gzip, gzip", bomb_twice),
  unkenc = answer(M.GOOD, "Content-Encoding: rot13\r\n"),

  -- redirects
  ["301loop"] = redirect "/301loop",
  ["301none"] = "HTTP/1.1 301 Moved Permanently\r\nContent-Length: 0\r\n\r\n",
  ["302bad"] = redirect "http://[",
  ["302file"] = redirect "file:///etc/passwd",

  -- the answers of a service in trouble
  textof503 = answer("upstream is down", "Content-Type: text/plain\r\n", "503 Service Unavailable"),
}

local reasons = {
  ["400"] = "Bad Request", ["401"] = "Unauthorized", ["403"] = "Forbidden", ["404"] = "Not Found",
  ["408"] = "Request Timeout", ["429"] = "Too Many Requests", ["500"] = "Internal Server Error",
  ["502"] = "Bad Gateway", ["503"] = "Service Unavailable", ["504"] = "Gateway Timeout",
}

---A status by its number, with or without a Retry-After behind a colon: "s503:1.5".
---@param name string
---@return string? bytes
function M.of_status(name)
  local status, seconds = name:match("^s(%d%d%d):?(.*)$")
  if not status then return nil end
  return answer("{}", seconds ~= "" and ("Retry-After: %s\r\n"):format(seconds) or "", status .. " " .. reasons[status])
end

return M
