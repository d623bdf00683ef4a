---The request Metadata of Kafka, and its answer, in version 4: the first by which a broker can be asked without making the
---topic.

local M = {}

M.VERSION = 4

---The names of the errors that matter to a wait, by their numbers.
local names = { [3] = "UnknownTopicOrPartition", [5] = "LeaderNotAvailable", [17] = "InvalidTopic",
  [29] = "TopicAuthorizationFailed", [31] = "ClusterAuthorizationFailed", [33] = "UnsupportedSaslMechanism",
  [34] = "IllegalSaslState", [35] = "UnsupportedVersion", [58] = "SaslAuthenticationFailed" }

---@param code integer
---@return string
function M.error_name(code)
  return names[code] or "KafkaError"
end

---@class bide.kafka.Topic
---@field name string
---@field exists boolean
---@field partitions integer
---@field leaderless integer the number of partitions without a leader
---@field replicas integer the least number of replicas that a partition has
---@field inSync integer the least number of them in sync with the leader
---@field underReplicated integer the number of partitions with a replica that is not in sync
---@field code integer of an error; 0 for none

---@param topic? string
---@return string body
function M.request(topic)
  return string.pack(">i4", topic and 1 or 0) .. (topic and string.pack(">s2", topic) or "") .. "\0" -- 0: make no topic
end

---Reads the number of a broker or a partition, which a list has once.
---@param reader bide.kafka.Reader
---@param seen table<integer, true>
---@return integer
local function read_id(reader, seen)
  local id = reader:int32()
  if seen[id] then reader.refuse(("the number %d twice"):format(id)) end
  seen[id] = true
  return id
end

local function brokers(reader)
  local list, seen = {}, {}
  for position = 1, reader:count(12) do
    local id, host, port = read_id(reader, seen), reader:text(), reader:int32()
    list[position] = { id = id, host = host or "", port = port }
    reader:text() -- its rack
  end
  return list
end

local NO_REPLICA = 9 -- the error of a partition that has a leader, of which a replica is down

---Reads a partition into the sums of its topic.
---@param reader bide.kafka.Reader
---@param topic bide.kafka.Topic
---@param seen table<integer, true>
local function add_partition(reader, topic, seen)
  local code = reader:int16()
  read_id(reader, seen)
  local leader, replicas, in_sync = reader:int32(), reader:count_numbers(), reader:count_numbers()
  topic.partitions = topic.partitions + 1
  if leader < 0 or code ~= 0 and code ~= NO_REPLICA then topic.leaderless = topic.leaderless + 1 end
  if in_sync < replicas then topic.underReplicated = topic.underReplicated + 1 end
  topic.replicas = math.min(topic.replicas or replicas, replicas)
  topic.inSync = math.min(topic.inSync or in_sync, in_sync)
end

local UNKNOWN, NO_LEADER = 3, 5

---@param reader bide.kafka.Reader
---@return bide.kafka.Topic
local function topic_of(reader)
  local code = reader:int16()
  local topic = { exists = code ~= UNKNOWN, partitions = 0, leaderless = 0, underReplicated = 0,
    code = (code == UNKNOWN or code == NO_LEADER) and 0 or code }
  topic.name = reader:text()
  reader:int8() -- whether it is internal
  local seen = {}
  for _ = 1, reader:count(18) do add_partition(reader, topic, seen) end
  topic.replicas, topic.inSync = topic.replicas or 0, topic.inSync or 0
  return topic
end

---@param reader bide.kafka.Reader
---@return bide.kafka.Result
function M.read(reader)
  reader:int32() -- for how long the broker throttles
  local result = { brokers = brokers(reader), cluster = reader:text() }
  reader:int32() -- the controller
  local topics = reader:count(9)
  if topics > 1 then reader.refuse(topics .. " topics") end
  if topics == 1 then result.topic = topic_of(reader) end
  reader:finish()
  return result
end

return M
