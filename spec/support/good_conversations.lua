---Good conversations with some services: what the server says first, and then to each request.

local bide = require "bide"
local http = require "bide.http"
local pong = require("spec.support.mongodb").pong
local recorded = require "spec.support.recorded"

local M = {}

local function hex(text)
  return (text:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function tag(text)
  return function(request) return (text:gsub("TAG", request:match "^%S+")) end
end

local function entry(name)
  local found = "\x02\x01\x03\x64" .. string.pack("s1", "\x04" .. string.pack("s1", name)
    .. hex "300a3008040163310304" .. "\x01b")
  return "\x30" .. string.pack("s1", found) .. hex "300c02010365070a0100" .. hex "04000400"
end

---What RabbitMQ 3.10.8 sent until a channel was open, and then of a queue that it has, and of one that it has not.
local RABBITMQ = "010000000001ee000a000a0009000001c90c6361706162696c697469657346000000c7127075626c69736865725f636f6e66"
  .. "69726d737401"
  .. "1a65786368616e67655f65786368616e67655f62696e64696e677374010a62617369632e6e61636b740116636f6e73756d65725f63616e63"
  .. "656c5f6e6f74696679740112636f6e6e656374696f6e2e626c6f636b6564740113636f6e73756d65725f7072696f72697469657374011c61"
  .. "757468656e7469636174696f6e5f6661696c7572655f636c6f73657401107065725f636f6e73756d65725f716f7374010f6469726563745f"
  .. "7265706c795f746f74010c636c75737465725f6e616d6553000000077370656340766d09636f707972696768745300000037436f70797269"
  .. "6768742028632920323030372d3230323220564d776172652c20496e632e206f722069747320616666696c69617465732e0b696e666f726d"
  .. "6174696f6e53000000394c6963656e73656420756e64657220746865204d504c20322e302e20576562736974653a2068747470733a2f2f72"
  .. "61626269746d712e636f6d08706c6174666f726d530000001145726c616e672f4f54502032352e322e330770726f64756374530000000852"
  .. "61626269744d510776657273696f6e5300000006332e31302e380000000e414d51504c41494e20504c41494e00000005656e5f5553ce0100"
  .. "000000000c000a001e07ff00020000003cce01000000000005000a002900ce010001000000080014000b00000000ce"
local OF_QUEUE = "010001000000110032000b046a6f62730000000000000000ce"
local OF_NO_QUEUE = "01000100000033001400280194284e4f545f464f554e44202d206e6f20717565756520276e6f6e652720696e2076686f7374"
  .. "20272f270032000ace"

---What grpcio 1 sent of a service that is serving.
local GRPC = "000018040000000000000400400000000500400000000600004000fe0300000001000004080000000000003f000100000004010000000000"
  .. "00040800000000000000000b000008060000000000e4b84a15d3b7a8e600004e01040000000188400c636f6e74656e742d74797065106170"
  .. "706c69636174696f6e2f677270634014677270632d6163636570742d656e636f64696e67176964656e746974792c206465666c6174652c20"
  .. "677a69700000070000000000010000000002080100001e010500000001400b677270632d7374617475730130000c677270632d6d65737361"
  .. "676500"

---What Cassandra 5.0.2 sent of itself, and its word READY by the documentation.
local CASSANDRA = { "\x84\0\0\0\6\0\0\0f\0\3\0\17PROTOCOL_VERSIONS\0\4\0\0043/v3\0\0044/v4\0\0045/v5\0\0096/v6-beta"
  .. "\0\11COMPRESSION\0\2\0\6snappy\0\3lz4\0\11CQL_VERSION\0\1\0\0053.4.7", "\x84\0\0\0\2\0\0\0\0" }

---An answer of Kafka to the request of a number, by the documentation.
local function of_kafka(number, body) return string.pack(">s4", string.pack(">i4", number) .. body) end

local VERSIONS = of_kafka(1, string.pack(">i2i4 i2i2i2 i2i2i2", 0, 2, 3, 0, 12, 18, 0, 3))

---Of a topic with one partition, or with an error (3: there is none).
local function metadata_of(code)
  local partition = string.pack(">i2i4i4 i4i4 i4i4", 0, 0, 1, 1, 1, 1, 1)
  return of_kafka(2, string.pack(">i4 i4 i4s2i4i2 s2i4 i4", 0, 1, 1, "127.0.0.1", 9092, -1, "cluster id", 1, 1)
    .. string.pack(">i2s2i1i4", code, "orders", 0, code == 0 and 1 or 0) .. (code == 0 and partition or ""))
end

---Returns the frames of AMQP, after the greeting of the client, which nothing precedes.
local function frames(bytes)
  local list = { "" }
  while bytes ~= "" do
    local length = 8 + string.unpack(">I4", bytes, 4)
    list[#list + 1], bytes = bytes:sub(1, length), bytes:sub(length + 1)
  end
  return list
end

---@param queue string
---@param answer string of the broker about it
local function of_rabbitmq(queue, answer)
  local row = frames(hex(RABBITMQ .. answer))
  row.ask, row.options = bide.amqp, { user = "ops", password = "pw", queue = queue }
  return row
end

local function get(options)
  return http.get(("http://%s:%d/"):format(options.host, options.port), { retry = "none", timeout = 2 }):json()
end

---@type table<string, { ask: fun(options: table): any, options: table?, spare: integer? }> `spare` is the bytes at the end
---that may be missing
M.rows = {
  amqp = of_rabbitmq("jobs", OF_QUEUE),
  cassandra = { ask = bide.cassandra, "", CASSANDRA[1], CASSANDRA[2] },
  grpc = { ask = bide.grpc, options = { service = "shop" }, "", hex(GRPC) },
  kafka = { ask = bide.kafka, options = { topic = "orders" }, "", VERSIONS, metadata_of(0) },
  mongodb = { ask = bide.mongodb, "", recorded.bytes "mongodb/6.0.5".standalone, pong },
  redis = { ask = bide.redis, options = { command = { "GET", "name" } }, "", "$4\r\ndone\r\n" },
  smtp = { ask = bide.smtp, "220 mail ESMTP\r\n", "250-mail\r\n250-SIZE 1000\r\n250 STARTTLS\r\n" },
  imap = { ask = bide.imap, "* OK ready\r\n", tag "* CAPABILITY IMAP4rev1 IDLE\r\nTAG OK done\r\n" },
  nats = { ask = bide.nats, 'INFO {"server_id":"a","version":"2.9.10"}\r\n', "PONG\r\n" },
  ldap = { ask = bide.ldap, options = { base = "o=app,dc=shop" }, "", hex "300c02010261070a010004000400", entry "o=app,dc=shop" },
  mysql = { ask = bide.mysql, options = { user = "root", query = "SELECT 1" },
    hex("640000000a352e352e352d31302e31312e31392d4d6172696144422d302b6465623132753100280500006e7b3f655e2c5c6d00feff080200ff8115"
      .. "0000000000001d000000314b622e5b5f4d444b2b366c006d7973716c5f6e61746976655f70617373776f726400"),
    hex "0700000200000002000000",
    hex("010000010117000002036465660000000131000c3f000100000003810000000005000003fe0000020002000004013105000005fe00000200"),
  },
  postgres = { ask = bide.postgres, options = { user = "postgres" }, "",
    hex "52000000080000000053000000167365727665725f76657273696f6e003135004b0000000c000015a572d497675a0000000549",
    hex("540000002100013f636f6c756d6e3f00000000000000000000170004ffffffff0000440000000b00010000000131430000000d53454c45435420"
      .. "31005a0000000549"),
  },
  http = {
    ask = get, "", 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"state":"done"}',
  },
  ["http, in chunks"] = { -- libcurl does not wait for the line feed behind the last chunk, if the server ends there
    ask = get, spare = 1, "", 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"state\r\n9\r\n":"done"}\r\n0\r\n\r\n',
  },
}

M.no_queue = of_rabbitmq("none", OF_NO_QUEUE)
M.no_topic = { ask = bide.kafka, options = { topic = "orders" }, "", VERSIONS, metadata_of(3) }

return M
