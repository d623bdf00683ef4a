local path = require "bide.recipe.file.path"

describe("an unknown name", function()
  it("means the recipe that serves what has this name", function()
    local known = {}
    for _, name in ipairs(path.names()) do known[name] = true end
    for name, recipe in pairs {
      bao = "vault", cert = "tls", cmd = "command", curl = "http", ["docker-compose"] = "compose", elastic = "elasticsearch",
      git = "git_ref", influx = "influxdb", k8s = "kubernetes", keydb = "redis", kubectl = "kubernetes", lavinmq = "amqp",
      mariadb = "mysql", MongoDB = "mongodb", mongo = "mongodb", openbao = "vault", openldap = "ldap",
      opensearch = "elasticsearch", pg = "postgres", pid = "process", podman = "docker", port = "tcp", PostgreSQL = "postgres",
      prom = "prometheus", rabbit = "rabbitmq", redpanda = "kafka", scylladb = "cassandra", sentinel = "redis_sentinel",
      ssl = "tls", systemctl = "systemd", valkey = "redis", ["mariadb.lua"] = "mysql",
    } do
      assert.equal(recipe, path.near(name, path.names()), name)
      assert.is_true(known[recipe], recipe)
    end
  end)

  it("means the nearest one that there is, or none", function()
    assert.equal("postgres", path.near("postgers", path.names()))
    assert.is_nil(path.near("zookeeper", path.names()))
  end)
end)
