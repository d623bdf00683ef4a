---What the waiters of the bundled recipes make of errors, by their types: which ones end a wait, and with what, and which
---ones are tried again. Any other error ends it, as one that no acceptor matches. What all waiters of a recipe make of an
---error is beside the names of the waiters. `answer` is the verdict on an answer of which nothing else is asked; `input` is
---the input of the wait. spec/support/verdict.lua says how an error is written.
---
---@class spec.Verdicts
---@field success? string
---@field failure? string
---@field retry? string
---@field answer? string
---@field input? table

---@type table<string, table<string, string|spec.Verdicts>> by the recipe, and by names of waiters
return {
  amqp = {
    failure = "AccessRefused NotAllowed",
    retry = "ConnectionForced UnexpectedAnswer ServerError QueueUnavailable ResourceLocked",
    ["AmqpReady QueueExists"] = { retry = "NotFound", answer = "success" },
    QueueGone = { success = "NotFound" },
  },
  cassandra = {
    CassandraReady = {
      failure = "BadCredentials", retry = "Overloaded IsBootstrapping ServerError UnexpectedAnswer",
      answer = "success",
    },
  },
  clickhouse = {
    failure = "AUTHENTICATION_FAILED SYNTAX_ERROR",
    retry = "UNKNOWN_TABLE UNKNOWN_DATABASE UnexpectedValue",
    ClickhouseReady = { answer = "success" },
    ["RowFound RowGone"] = {},
  },
  command = { CommandSucceeded = { retry = "CommandFailed UnexpectedValue MatchLimit" } },
  commit_checks = { ChecksPassed = { retry = "RateLimitExceeded UnprocessableContent IncompleteAnswer" } },
  compose = {
    retry = "NotFound",
    ["ProjectGone ProjectReady"] = {},
    LineFound = { failure = "FailedLine MatchLimit ContainerEnded LogUnreadable", retry = "Conflict", answer = "success" },
  },
  connections = { ConnectionsDrained = { failure = "ConnectionsHidden", retry = "PortUnused" } },
  consul = { ["ConsulReady ServiceGone ServicePassing"] = { retry = "NoLeader" } },
  dns = {
    retry = "AliasOnly Referral AnswerCut",
    NameGone = { success = "NameNotFound NoData UnexpectedValue", answer = "retry" },
    NameKnown = { retry = "NameNotFound NoData UnexpectedValue", answer = "success" },
  },
  docker = {
    ContainerExited = {},
    ContainerGone = { success = "NotFound" },
    ["ContainerHealthy ContainerRunning"] = { retry = "NotFound OtherContainer" },
    LineFound = {
      failure = "FailedLine MatchLimit ContainerEnded LogUnreadable", retry = "NotFound OtherContainer Conflict",
      answer = "success",
    },
  },
  elasticsearch = {
    ["DocumentsFound DocumentsGone ElasticsearchHealthy IndexGone"] = {
      failure = "Unauthorized Refused/403",
      retry = "security_exception index_closed_exception",
    },
  },
  etcd = {
    EtcdHealthy = {},
    KeyDeleted = { success = "KeyNotFound", retry = "KeyFailed UnexpectedValue", answer = "retry" },
    KeyExists = { failure = "KeyFailed", retry = "KeyNotFound UnexpectedValue", answer = "success" },
  },
  file = {
    retry = "NotStable UnexpectedValue DanglingLink",
    FileExists = { retry = "NotFound", answer = "success" },
    FileGone = { success = "NotFound" },
    ["FilesCounted FilesGone"] = {},
    LineFound = { failure = "FailedLine MatchLimit", answer = "success" },
  },
  git_ref = {
    retry = "RepositoryUnreachable RepositoryEmpty NameOfClone",
    RefExists = { retry = "RefNotFound UnexpectedValue", answer = "success" },
    RefGone = { success = "RefNotFound UnexpectedValue", answer = "retry" },
  },
  grpc = { GrpcServing = { failure = "UNIMPLEMENTED", retry = "NOT_FOUND" } },
  http = {
    retry = "Refused/404 TooEarly UnexpectedStatus UnexpectedValue MatchLimit RedirectRefused",
    ServiceDown = { input = { down = { "503" } }, success = "ConnectionRefused ConnectionFailed!ENOENT Refused/503" },
    ServiceHealthy = {},
  },
  imap = { ImapReady = { failure = "BAD", retry = "BYE NO UnexpectedAnswer", answer = "success" } },
  influxdb = { InfluxdbHealthy = {} },
  kafka = {
    ["KafkaReady TopicGone TopicReady"] = {
      failure = "SaslAuthenticationFailed UnsupportedSaslMechanism",
      retry = "UnexpectedAnswer KafkaError",
    },
  },
  kubernetes = { ObjectReady = { retry = "NotFound NotCurrent" } },
  kubernetes_job = { JobComplete = { retry = "NotFound NotCurrent" } },
  kubernetes_rollout = { RolledOut = { retry = "NotFound NotCurrent" } },
  ldap = {
    failure = "InvalidCredentials ConfidentialityRequired StrongerAuthRequired",
    retry = "Busy Unavailable UnexpectedAnswer EntryUnseen",
    ["EntryExists LdapReady"] = { retry = "NoSuchObject", answer = "retry" },
    EntryGone = { success = "NoSuchObject", answer = "retry" },
  },
  memcached = { MemcachedReady = { retry = "UnexpectedAnswer", answer = "success" } },
  minio = { ["MinioLive MinioReadable MinioReady"] = { retry = "PreconditionFailed", answer = "success" } },
  mongodb = {
    ["MongodbReady PrimaryElected"] = {
      failure = "WrongReplicaSet AuthenticationFailed",
      retry = "UnexpectedAnswer ShutdownInProgress",
    },
  },
  mysql = {
    failure = "28000 42000",
    retry = "08004 08S01 42S02 UnexpectedAnswer UnexpectedValue",
    MysqlReady = { answer = "success" },
    ["RowFound RowGone"] = {},
  },
  nats = {
    ["NatsReady StreamsReady"] = {
      failure = "AuthorizationViolation PermissionsViolation",
      retry = "UnexpectedAnswer ServerError LameDuckMode JetStreamUnavailable",
      answer = "success",
    },
  },
  nginx = {
    NginxServing = { answer = "success" },
    RequestsDrained = {},
  },
  postgres = {
    failure = "28P01 3D000 28000 42601",
    retry = "57P03 57P01 57P02 53300 42P01 08P01 08006 08001 UnexpectedAnswer UnexpectedValue",
    PostgresReady = { answer = "success" },
    ["RowFound RowGone"] = {},
  },
  process = {
    retry = "InvalidPidFile",
    ProcessGone = { success = "ProcessNotFound", failure = "ProcessesHidden", answer = "retry" },
    ProcessRuns = { retry = "ProcessNotFound ProcessesHidden", answer = "success" },
  },
  prometheus = {
    retry = "PartialResult",
    PrometheusReady = { answer = "success" },
    ["ResultEmpty ResultFound"] = {},
  },
  rabbitmq = {
    ClusterHealthy = { retry = "NotFound Gone" },
    QueueDrained = {},
    QueueExists = { retry = "QueueNotFound", answer = "success" },
  },
  redis = {
    failure = "WRONGPASS NOAUTH",
    retry = "LOADING MASTERDOWN BUSY UnexpectedAnswer CLUSTERDOWN MasterUnknown",
    RedisReady = { answer = "success" },
    KeyExists = { failure = "KeyFailed", retry = "KeyNotFound UnexpectedValue", answer = "success" },
    KeyGone = { retry = "KeyFound ReplicaUnlinked", answer = "success" },
    ReplicaLinked = {},
  },
  redis_sentinel = {
    MasterReady = { failure = "WRONGPASS NOAUTH", retry = "ERR LOADING MASTERDOWN BUSY UnexpectedAnswer" },
  },
  smtp = { SmtpReady = { failure = "554", retry = "421 450 451 454 UnexpectedAnswer", answer = "success" } },
  ssh = { SshReady = { failure = "HostKeyMismatch", retry = "HostKeyNotFound UnexpectedAnswer", answer = "success" } },
  systemd = { ["UnitActive UnitFinished UnitInactive"] = { retry = "JobQueued" } },
  tcp = {
    retry = "UnexpectedAnswer",
    PortClosed = { success = "ConnectionRefused", answer = "retry" },
    PortOpen = { answer = "success" },
  },
  tls = {
    failure = "AuthorityNotGiven HostNotGiven",
    CertificateInvalid = {
      success = "TlsFailure:expired TlsFailure:notYetValid TlsFailure:untrusted CertificateExpires UnexpectedIssuer",
      answer = "retry",
    },
    CertificateValid = {
      failure = "TlsFailure:untrusted TlsFailure",
      retry = "TlsFailure:expired TlsFailure:notYetValid CertificateExpires UnexpectedIssuer",
      answer = "success",
    },
  },
  udp = { PortAnswers = { retry = "UnexpectedAnswer", answer = "success" } },
  unix = {
    retry = "UnexpectedAnswer",
    SocketClosed = { success = "ConnectionRefused ConnectionFailed!ENOENT", answer = "retry" },
    SocketOpen = { answer = "success" },
  },
  vault = { ["VaultActive VaultReady VaultSealed VaultUnsealed"] = {} },
}
