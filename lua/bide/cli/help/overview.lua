---The content of `bide --help`, and of the beginning of the page for man.

---@class bide.cli.Row
---@field [1] string as it is typed
---@field [2] string what it means

return {
  purpose = "polls a resource until it is in the state you want, and explains how the wait ended",
  ---@type bide.cli.Row[]
  usage = { { "bide COMMAND [ARGUMENTS]", "" }, { "bide RECIPE [ARGUMENTS]", "is bide run RECIPE [ARGUMENTS]" } },
  ---@type bide.cli.Row[]
  more = {
    { "bide COMMAND --help", "explains a command and its options, with an example" },
    { "bide RECIPE --help", "explains a recipe: its waiters and its inputs, with an example" },
    { "bide help recipes", "prints a page of the documentation: recipes, tutorial, jmespath and others" },
    { "bide --version", "prints the versions of bide and of what each run loads" },
  },
  ---The variables that bide reads.
  environment = {
    { "BIDE_PATH", "folders with recipes, with colons between them; they are searched before the recipes of bide" },
    { "BIDE_STORE", "the store of a command line without --store" },
    { "BIDE_MAX_WAIT", "the max wait, such as 5m, of a command line without --max-wait" },
    { "BIDE_JOURNAL", "the file of the journal where --journal is not given" },
    { "BIDE_AWS_MODELS", "folders with data of AWS's services, with colons between them" },
    { "NO_COLOR", "anything but an empty text: no colours" },
    { "GITHUB_ACTIONS", "true: failures and warnings are annotations of the workflow" },
    { "GITHUB_STEP_SUMMARY", "the file of --output github" },
    { "OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, TRACEPARENT",
      "for --output otlp: headers of the request, the name of the service, the span above those of bide" },
    { "http_proxy, https_proxy, all_proxy, no_proxy", "the proxies of HTTP requests, as curl has them" },
    { "CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR", "the certificates of the authorities that are trusted" },
    { "KUBECONFIG", "the files that say how to reach a cluster of Kubernetes" },
    { "DOCKER_HOST, DOCKER_CONTEXT", "the daemon of Docker, as the docker command has them" },
    { "PGHOST, PGUSER, PGPASSWORD and others of PostgreSQL", "what the URL of a store does not say, as libpq has them" },
    { "AWS_PROFILE, AWS_REGION, AWS_ACCESS_KEY_ID and others of AWS", "as the tools of AWS have them; see bide help aws" },
  },
  ---The files that bide reads, below the folder that it is installed in, or the user's.
  files = {
    { "PREFIX/share/bide/scripts", "the bundled recipes, and the data of AWS's services" },
    { "PREFIX/share/bide/lua", "the modules for scripts, with the annotations for editors" },
    { "PREFIX/share/doc/bide", "the documentation; bide help PAGE prints a page of it" },
    { "~/.aws/config, ~/.aws/credentials", "profiles and keys of AWS" },
    { "~/.local/share/bide/aws", "newer data of AWS's services, of bide aws pack; below XDG_DATA_HOME if that is set" },
    { "~/.pgpass", "passwords of PostgreSQL, for a store" },
    { "~/.kube/config", "how to reach a cluster, where KUBECONFIG is not set" },
  },
  example = "bide http localhost:8080/health --max-wait 1m -- ./start",
}
