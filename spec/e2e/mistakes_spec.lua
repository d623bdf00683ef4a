---Mistakes that people make, as data: a line, the exit code, and what the answer has to say. None of them exits with 0 where
---it should not, and none spends its wait without a word. Most of the lines were typed by people who met bide for the first
---time, good answers and bad ones; each bad one has a variant.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

---Lines of shell without bide's name; the code; what is said, and what is not. "@" is the address of a server that answers
---200 with {"status": "ok", "count": 3}.
local mistakes = {
  -- options
  { "http @ --timeout 5s", 2, "did you mean --max-wait?" },
  { "http @ --deadline 5s", 2, "did you mean --max-wait?" },
  { "http @ --max-wait 1s --retries 3", 2, "did you mean --max-attempts?" },
  { "http @ --max-wait 1s --sleep 3", 2, "did you mean --interval?" },
  { "http --url @ --max-wait 1s", 2, "inputs are KEY=VALUE, here url=127.0.0.1:" },
  { "http @ --max-wait 1s --method=HEAD", 2, "inputs are KEY=VALUE, here method=HEAD" },
  { "http @ -H 'Accept: text/plain' --max-wait 1s", 2, "inputs are KEY=VALUE, here headers=VALUE" },
  { "http @ -X POST --max-wait 1s", 2, "inputs are KEY=VALUE, here method=POST" },
  { "http @ -t 10 --max-wait 1s", 2, "did you mean --max-wait?" },
  { "http @ --invert-check --max-wait 1s", 2, "did you mean --invert?" },
  { "tcp @ --reverse --max-wait 1s", 2, "did you mean --invert?" },
  { "http @ --simultaneous 2 --max-wait 1s", 2, "did you mean --jobs?" },
  { "tcp @ -s 2 --max-wait 1s", 2, "did you mean --silent, or --jobs?" },
  { "tcp @ -l --max-wait 1s", 2, "did you mean --verbose?" },
  { "tcp @ --log --max-wait 1s", 2, "did you mean --verbose?" },
  { "tcp @ --log-level debug --max-wait 1s", 2, "did you mean --verbose?" },
  { "tcp @ -d 100 --max-wait 1s", 2, "did you mean --initial-delay?" },
  { "tcp @ --delay 100 --max-wait 1s", 2, "did you mean --interval, or --initial-delay?" },
  { "tcp @ --backoff-policy exponential --max-wait 1s", 2, "did you mean --max-delay?" },
  { "tcp @ -c waits.json --max-wait 1s", 2, "unknown option '-c' (see" },
  { "http @ --expect-header x --max-wait 1s", 2, "did you mean --until?" },
  { "http @ --expect-status-code 200 --max-wait 1s", 2, "inputs are KEY=VALUE, here status=200" },
  { "http @ --expect-body-regex 'ok|up' --max-wait 1s", 2, "inputs are KEY=VALUE, here matches=VALUE" },
  { "http @ --expect-body-xpath //p --max-wait 1s", 2, "inputs are KEY=VALUE, here xpath=//p" },
  { "http @ --no-redirect --max-wait 1s", 2, "inputs are KEY=VALUE, here follow=false" },
  { "http @ --insecure-skip-tls-verify --max-wait 1s", 2, "inputs are KEY=VALUE, here insecure=true" },
  { "http @ --httpTimeout 5s --max-wait 1s", 2, "inputs are KEY=VALUE, here timeout=5s" },
  { "redis KeyExists @ --expect-key a --max-wait 1s", 2, "inputs are KEY=VALUE, here name=a" },
  { "http @ -d x=1 --max-wait 1s", 2, "inputs are KEY=VALUE, here body=VALUE" },
  { "http @ -k --max-wait 1s", 2, "inputs are KEY=VALUE, here insecure=true" },
  { "http url @ --max-wait 1s", 2, "only url can be given without a name; inputs are KEY=VALUE, here url=VALUE" },
  { "http @ status 200 --max-wait 1s", 2, "inputs are KEY=VALUE, here status=VALUE" },
  { "tcp host localhost port 80 --max-wait 1s", 2, "found \"localhost\"; inputs are KEY=VALUE, here host=VALUE" },
  { "postgres -h db --max-wait 1s", 2, "inputs are KEY=VALUE, here host=db" }, -- help would be a success
  { "postgres db -p 5433 --max-wait 1s", 2, "inputs are KEY=VALUE, here port=5433" },
  { "postgres db -U app --max-wait 1s", 2, "inputs are KEY=VALUE, here user=app" },
  { "postgres db -d shop --max-wait 1s", 2, "inputs are KEY=VALUE, here database=shop" },
  { "command ls -l --max-wait 1s", 2, "inputs are KEY=VALUE, here 'ls -l'" },
  { "command pg_isready -h db --max-wait 1s", 2, "-h asks for help, and takes no value, found \"db\"" },
  { "command grep -q x --max-wait 1s", 2, nil },
  { "command test -f /x --max-wait 1s", 2, "inputs are KEY=VALUE, here 'test -f /x'" },
  { "-q http @ --max-wait 1s", 2, "-q: options follow the recipe: bide http … -q" },
  { "--max-wait 1s http @", 2, "--max-wait: options follow the recipe: bide http … --max-wait" },
  { "--each waits.jsonl --max-wait 1s", 2, "--each: write bide run --each …, with the RECIPE before --each" },
  { "submit --max-wait 1s", 2, "expected a RECIPE, found none: bide list shows them", "bide run" },
  { "--max-wait=1s", 2, "--max-wait=1s: expected a command or a recipe first" },
  { "http @", 2, "--max-wait is missing" },
  { "http @ -- echo hi --max-wait 2s", 2, "--max-wait is missing: found one after --, where words belong to COMMAND" },
  { "http @ -- echo hi --max-wait=2s", 2, "found one after --" },
  { "http @ --max-wait 1s --", 2, "no command after --" },
  { "http @ --max-wait 1s --tolerate lots", 2,
    '--tolerate: expected a number of attempts such as 5, or a duration with its unit, such as "30s", found "lots"' },
  { "http @ --max-wait 1s --tolerate 5x", 2, "--tolerate: expected a number of attempts such as 5" },
  { "http @ --max-wait soon", 2, "--max-wait: expected a duration" },
  { "http @ --max-wait 0", 2, "--max-wait: expected a number of seconds above 0" },
  { "http @ --max-wait 1s --max-attempts 0", 2, "--max-attempts: expected a whole number above 0" },
  { "http @ --max-wait 1s --jobs 3", 2, "--jobs needs several waits" },
  { "http @ --max-wait 1s --json x", 2, "did you mean --output? The input is json=x" },
  { "http @ --max-wait 1s --timeout 5s", 2, "did you mean --max-wait? The input is timeout=5s" },
  { "file FilesCounted *.none --max-wait 0.3s", 124, "enough is false; 0 files fit the pattern" },
  { "http @ --max-wait 1s --output yaml", 2, "--output: expected" },
  { "http @ --max-wait 1s --invert --until x", 2, "--invert and --until exclude each other" },
  { "http @ --max-wait 1s --fail-message x", 2, "--fail-message needs --fail" },
  -- delays that leave one attempt
  { "tcp 127.0.0.1:1 --interval 100 --max-wait 1s", 124, "polls only once: --interval 1m40s is not below --max-wait 1s" },
  { "tcp 127.0.0.1:1 --min-delay 1s --max-wait 1s", 124, "polls only once: --min-delay 1s is not below --max-wait 1s" },
  -- recipes, waiters and words
  { "http://127.0.0.1:1/health", 2, "an address follows its recipe: bide http http://127.0.0.1:1/health" },
  { "127.0.0.1:1", 2, "an address follows its recipe: bide tcp 127.0.0.1:1" },
  { "wait-for tcp @", 2, 'did you mean "run"?' },
  { "--versions", 2, "did you mean --version?" },
  { "http @ --hepl", 2, "did you mean --help?" },
  { "http @ -max-wait 1s", 2, "unknown option '-max-wait', did you mean --max-wait?" },
  { "http @ max-wait=1s", 2, "--max-wait is missing: max-wait=1s is no input, write --max-wait 1s" },
  { "http @ until=status=ok --max-wait 1s", 2, 'unknown input "until": the option is --until' },
  { "http @ --retry 3 --max-wait 1s", 2, "did you mean --max-attempts?" },
  { "http @ -o json --max-wait 1s", 2, "did you mean --output?" },
  { "http @ -v --silent --max-wait 1s", 2, "--silent and --verbose exclude each other" },
  { "http http//@ --max-wait 1s", 2, "url: expected a URL such as" },
  { "http @  body=@log --max-wait 1s", 2, "body: expected @env:NAME or @file:PATH, found @log, did you mean @file:log?" },
  { "http --input log --max-wait 1s", 2, "a file is read by --input @FILE" },
  { "http url:=@ --max-wait 1s", 2, "a text is url=TEXT" },
  { "kill 4711 --max-wait 1s", 2, 'unknown command "kill": bide --help shows', "did you mean" },
  { "host example.org --max-wait 1s", 2, 'unknown command "host": bide --help shows', "did you mean" },
  { "flie x --max-wait 1s", 2, 'did you mean "file"?' },
  { "ldp x --max-wait 1s", 2, 'did you mean "ldap"?' },
  { "http @ json:={a:1} --max-wait 1s", 2, "the shell removes quotes that are not within '…'" },
  { 'http @ json={"dry":true} --max-wait 1s', 2, "at line 1, column 2; the shell removes quotes that are not within '…'" },
  { "http @ json=[a,b] --max-wait 1s", 2, "the shell removes quotes that are not within '…'" },
  { [[http @ json="{'dry':true}" --max-wait 1s]], 2, "JSON has double quotes" },
  { [[http @ json:="'{\"dry\":true}'" --max-wait 1s]], 2, "leave out the single quotes, which no shell has removed" },
  { "http @ json=dry --max-wait 1s", 2, "found 'd' where a value should be, at line 1, column 1", ";" },
  { "prometheus @ headers={X-A:b} --max-wait 1s", 2, "the shell removes quotes that are not within '…'" },
  { "prometheus @ headers=b --max-wait 1s", 2, "headers: expected lines of the form \"Name: value\"", "shell" },
  { "http @ headers={X-A:b} --max-wait 1s", 2, "the shell removes quotes that are not within '…'" },
  { "http @ 'headers=X A: b' --max-wait 1s", 2, 'headers: expected lines of the form "Name: value"' },
  { "http --input {url:@} --max-wait 1s", 2, "the shell removes quotes that are not within '…'" },
  { [[http --input "{'url':'@'}" --max-wait 1s]], 2, "JSON has double quotes" },
  { "http @ service-down --max-wait 1s", 2, 'no waiter is called "service-down"; did you mean "ServiceDown"?' },
  { "tcp @ --max-wait 1s echo hi", 2, 'found "echo"; quote a value with blanks, put a COMMAND after --' },
  { "tcp @ --max-wait 1s -- 'echo hi'", 127, "a line of shell is run by: -- sh -c" },
  { "aws ec2 instance-running i-1 --max-wait 1s", 2, 'expected KEY=VALUE, found "i-1": the waiter is given already' },
  { "tcp localhost:99999 --max-wait 1s", 2, "host: expected HOST:PORT or a tcp:// URL, with a port of 1 to 65535, found" },
  { "http localhost:99999/x --max-wait 1s", 2, "such as http://localhost:8080/health, with a port of 1 to 65535, found" },
  { "mysql root@db --max-wait 1s", 2, 'url: expected mysql:// before a user, found "[redacted]@db"' },
  { "plan", 2, "expected RECIPE, found nothing" },
  { "help tpc", 2, 'tpc: no bundled recipe or recipe in BIDE_PATH has that name; did you mean "tcp"?\n' },
  { "@ --max-wait 1s", 2, "an address follows its recipe: bide tcp " },
  { "run 127.0.0.1:1/health --max-wait 1s", 2, "an address follows its recipe: bide http " },
  { "postgresql://a@db/shop --max-wait 1s", 2, "an address follows its recipe: bide postgres postgresql://a@db/shop" },
  { "https://db/shop --max-wait 1s", 2, "an address follows its recipe: bide http https://db/shop" },
  { "nosuch --max-wait 1s", 2, "bide list" },
  { "htpp @ --max-wait 1s", 2, 'did you mean "http"?' },
  { "curl @ --max-wait 1s", 2, 'did you mean "http"?' },
  { "run htpp @ --max-wait 1s", 2, 'did you mean "http"?' },
  { "./compared.lua --max-wait 1s", 2, [[found 3; write the path "n == `3`" with booleanEquals and "true", which is ]]
    .. [[acceptor.output(STATE, "n == `3`")]] },
  { "./compared_too.lua --max-wait 1s", 2, [[found true; write the path "(a || b) == `true`" with]] },
  { "./misspelt.lua --max-wait 1s", 2, [[found "sucess", did you mean "success"?]], "at least one" },
  { "./bare.lua --max-wait 1s", 2, "acceptors: expected a list of acceptors, found an acceptor: put it into a list",
    "at least one" },
  { "./typed.lua --max-wait 1s", 2, 'found "int", did you mean "integer"?' },
  { "./things.lua name=x --max-wait 1s", 0, "ThingExists succeeded" },
  { "things.lua --max-wait 1s", 2, "name: expected a string, found nothing" },
  { "./thing.lua --max-wait 1s", 2, "./thing.lua: no such file or directory" },
  { "nothing.json --max-wait 1s", 2, "nothing.json: no such file or directory" },
  { "file PortOpen x --max-wait 1s", 2, "PortOpen" },
  { "file x PortOpen --max-wait 1s", 2, "PortOpen" },
  { "file LineFund x --max-wait 1s", 2, 'did you mean "LineFound"?' },
  { "tcp PortClosd @ --max-wait 1s", 2, 'did you mean "PortClosed"?' },
  { "http ServiceHealthy ServiceDown @ --max-wait 1s", 2, "the waiter is ServiceHealthy" },
  { "http @ extra --max-wait 1s", 2, 'expected KEY=VALUE, found "extra"' },
  { "http url = @ --max-wait 1s", 2, "it is one word, without blanks" },
  -- inputs
  { "http @ staus=200 --max-wait 1s", 2, 'did you mean "status"?' },
  { "http @ status=200-299 --max-wait 1s", 2, 'status[1]: expected a status such as 200 or 2xx, found "200-299"' },
  { "http @ status=ok --max-wait 1s", 2, "expected a status such as 200 or 2xx" },
  { "http @ status=[200] --max-wait 1s", 2, "a list in JSON is status:=[200]" },
  { "http @ timeout=fast --max-wait 1s", 2, "timeout: expected a duration" },
  { "http @ bearer= --max-wait 1s", 2, "bearer: expected a text that is not empty" },
  { "http @ bearer=$UNSET --max-wait 1s", 2, "bearer: expected a text that is not empty" },
  { 'http @ user="$UNSET" --max-wait 1s', 2, "user: expected a text that is not empty" },
  { "http @ bearer=@env:UNSET --max-wait 1s", 2, 'the environment variable "UNSET" is not set' },
  { "http @ bearer=@file:nothing --max-wait 1s", 2, "nothing" },
  { "http @ bearer=@evn:TOKEN --max-wait 1s", 2, "bearer: expected @env:NAME or @file:PATH, found @evn:, did you mean @env:?" },
  { "http @ bearer=@FILE:token --max-wait 1s", 2, "found @FILE:, did you mean @file:?" },
  { "http @ bearer=@app:token --max-wait 1s", 0, "ServiceHealthy succeeded" },
  { [[http @ bearer:='"@evn:x"' --max-wait 1s]], 0, "ServiceHealthy succeeded" },
  { "http :8080 --max-wait 1s", 2, "no host before :8080; localhost:8080?" },
  { "tcp ::1:8080 --max-wait 1s", 2, "for example [::1]:8080" },
  { "tcp fe80::1:22 --max-wait 1s", 2, "for example [fe80::1]:22" },
  { "tcp db --max-wait 1s", 2, "port: expected 1 to 65535, found nothing; for example db:80" },
  { "tcp db:99999 --max-wait 1s", 2, "host: expected HOST:PORT" },
  { "postgres RowFound postgres://a@h/b --max-wait 1s", 2, "for example 'query=SELECT 1 FROM jobs'" },
  { "clickhouse RowFound h --max-wait 1s", 2, "for example 'query=SELECT 1 FROM jobs'" },
  { "http @ json:={a:1} --max-wait 1s", 2, "json: found" },
  { "http @ json:='{\"a\":1,\"a\":2}' --max-wait 1s", 2, 'the member "a" is given twice' },
  { "http @ path='a..b' --max-wait 1s", 2, "path: expected a JMESPath" },
  { "http @ failed=a failed=b --max-wait 1s", 2, "failed is given twice" },
  -- patterns
  { [[http @ 'matches=%d+' --max-wait 1s]], 2, [[%d is a Lua pattern: write \d, or \%d for the characters]] },
  { [[http @ 'matches=count: [%w_]+' --max-wait 1s]], 2, [[%w is a Lua pattern: write [:alnum:], ]] },
  { [[http @ 'matches=%W' --max-wait 1s]], 2, "write [[:^alnum:]], " },
  { [[http @ 'matches="status".-ok' --max-wait 1s]], 2, [[.- is a Lua pattern: write .*?, or .\- for the characters]] },
  { [[http @ 'matches=(*UTF)(*LIMIT_MATCH=9)a' --max-wait 1s]], 2, "(*LIMIT_MATCH=…) is not for patterns" },
  { [[http @ 'matches=(a' --max-wait 1s]], 2, "missing closing parenthesis, at byte 3" },
  { [[http @ 'matches=[a-z' --max-wait 1s]], 2, "missing terminating ] for character class, at byte 5" },
  { [[http @ 'matches_lua=[a-z' --max-wait 1s]], 2, "a set lacks its ]" },
  { [[command 'echo 1' 'matches=%d' --max-wait 1s]], 2, "%d is a Lua pattern" },
  { [[http @ 'matches=\%d' --max-wait 0.3s]], 124, "expected a match of" },
  { [[http @ 'matches="(status|state)"\s*:\s*"\w{2,}"' --max-wait 1s]], 0, "ServiceHealthy succeeded" },
  { [[http @ 'matches=(?i)"STATUS"' --max-wait 1s]], 0, "ServiceHealthy succeeded" },
  { [[http @ 'matches=[.-]?"status"' --max-wait 1s]], 0, "ServiceHealthy succeeded" },
  { [[http @ 'matches_lua="count": *%d' --max-wait 1s]], 0, "ServiceHealthy succeeded" },
  { [[http @ 'matches={"status"' --max-wait 1s]], 0, "ServiceHealthy succeeded" },
  -- expressions
  { [[http @ --fail "status < '2.0'" --max-wait 1s]], 2, "--fail can never be a yes: '<' compares numbers" },
  { [[http @ --until "status > '1'" --max-wait 1s]], 2, "--until can never be a yes: '>' compares numbers" },
  { "http @ --until 'length(status)' --max-wait 1s", 2, "write length(status) > `0`" },
  { "http @ --until 'status!=ok' --max-wait 1s", 2, "write status != 'ok' for the text" },
  { "http @ --fail 'status==failed' --max-wait 1s", 2, "for the text" },
  { "http @ --until 'contains(status, ok)' --max-wait 1s", 2, "write 'ok' for the text" },
  { "http @ --until 'starts_with(status, o)' --max-wait 1s", 2, "write 'o' for the text" },
  { [[http @ --until 'status = "ok"' --max-wait 1s]], 2, "write status=TEXT without blanks and quotes" },
  { "http @ --until 'status =ok' --max-wait 1s", 2, "write status=TEXT without blanks and quotes" },
  { "http @ --until status=~ok --max-wait 1s", 2, "=~ is not an operator" },
  { "http @ --fail 'status=~^ok' --max-wait 1s", 2, "=~ is not an operator" },
  { "http @ --until status=$UNSET --max-wait 1s", 2, "expected a text after status=, found an empty text" },
  { "http @ --until 'a..b' --max-wait 1s", 2, "syntax: found '.'" },
  { "http @ --until 'status=ok and count=3' --max-wait 1s", 2, "and is part of the text after =: write status == 'TEXT' && …" },
  { "http @ --until 'status=ok or count=3' --max-wait 1s", 2, "write status == 'TEXT' || …, or give the option twice" },
  { "http @ --until 'status=ok and well' --max-wait 0.3s", 124, 'unmet: --until "status=ok and well"' },
  { "http @ --until '$.status=ok' --max-wait 1s", 2, "; write status\n  $.status" },
  { "http @ --until .status=ok --max-wait 1s", 2, "; write status\n  .status" },
  { [[http @ --until '.status == `1`' --max-wait 1s]], 2, "; write status == `1`\n" },
  { "http @ --until status=ok --until count=4 --max-wait 0.3s", 124, 'unmet: --until "count=4"' },
  { "http @ --fail satus=failed --max-wait 1s", 0, "no answer had a member satus; did you mean status?" },
  { "http @ --fail 'count.satus=failed' --max-wait 1s", 0, "no answer had a member satus" },
  { [[http @ --until 'status="ok"' --max-wait 0.3s]], 124, 'wants the text "ok" with its quotes' },
  { "http @ --until staus=ok --max-wait 0.3s", 124, "did you mean status?" },
  -- what is counted, gone, or not there yet
  { "process ProcessGone pid_file=none.pid --max-wait 1s", 0, "the pid file none.pid does not exist" },
  { "kafka TopicReady broker " .. ("x"):rep(250) .. " --max-wait 1s", 2, "topic: expected at most 249 bytes, found 250" },
  { "process ProcessGone /usr/bin/none --max-wait 1s", 2, "name" },
  { "file LineFound nosuch.log x --max-wait 0.3s", 124, "the log does not exist yet" },
  { "file LineFound log nothing --max-wait 0.3s", 124, "no line matches" },
  { "tcp --invert PortOpen @ --max-wait 0.3s", 124, "last seen: the port is open" },
  { "tcp PortClosed @ --max-wait 0.3s", 124, "last seen: the port is open" },
  { "dns x server=127.0.0.1:1 --max-wait 0.3s", 124, "127.0.0.1:1" },
  { "postgres RowFound --help", 0, "A single value that is false, 0, empty or NULL, as of EXISTS and count(*), is no row" },
  -- several good answers, several waits, COMMAND
  { "tcp @ --consecutive 3 --max-wait 1s", 2, "did you mean --hold?" },
  { "tcp @ --hold lots --max-wait 1s", 2, "--hold: expected a number of attempts" },
  { "tcp 127.0.0.1:1 --hold 3 --max-attempts 2 --max-wait 1s", 2, "--hold 3 cannot be reached with --max-attempts 2" },
  { "command 'exit 3' failed=3 + tcp 127.0.0.1:1 --max-wait 9s", 1, "the exit code is 3" },
  { "http @ --max-wait 1s --output json -- echo", 2, "give the report a file: --output json=FILE" },
  -- AWS by the words of its own tools
  { "aws deploy deployment-successful --max-wait 1s", 2, "deploymentId: expected a string, found nothing" },
  { "aws codedploy deployment-successful --max-wait 1s", 2, 'did you mean "aws:codedeploy"?' },
  { "aws s3api wait bucket-exists --bucket b --max-wait 1s", 2, "inputs are KEY=VALUE, here Bucket=b" },
  { "aws s3 wait bucket-exists --bucket b --max-wait 1s", 2, "inputs are KEY=VALUE, here Bucket=b" },
  { "aws ec2 instance-running --instance-ids i-1 --max-wait 1s", 2, "inputs are KEY=VALUE, here InstanceIds=i-1" },
  { "aws ec2 wait instance-running --cli-input-json '{}' --max-wait 1s", 2, "did you mean --input?" },
  { "aws ec2 instance-running --endpoint-url http://x --max-wait 1s", 2, "did you mean --endpoint?" },
  { "aws ec2 instance-running InstanceIds=$UNSET --max-wait 1s", 2, "InstanceIds: expected a text that is not empty" },
  { "aws ec2 instance-running InstanceId=i-1 --max-wait 1s", 2, 'unknown input "InstanceId"; did you mean "InstanceIds"?' },
  { "ec2 instance-running --max-wait 1s", 2, "the service of AWS is bide aws ec2" },
  -- several waits
  { "http @ + --max-wait 1s", 2, "found no RECIPE after the last +" },
  { "run status.yaml --max-wait 1s", 2, 'status.yaml:1: status: expected a list, found 200; write ["200"]' },
  { "run --each nothing.jsonl --max-wait 1s", 2, "nothing.jsonl" },
  { "run --each broken.jsonl --max-wait 1s", 2, "broken.jsonl:2:" },
  { "run --each unknown.jsonl --max-wait 1s", 2, 'did you mean "input"?' },
  { "http --each log --max-wait 1s", 2, "log:1:1: found 'l' where a value should be; each line is a JSON object" },
  { "run tab.yaml --max-wait 1s", 2, "tab.yaml: line 2, column 1: found a tab character that violates indentation: indent by" },
  { "run deep.yaml --max-wait 1s", 2, "deep.yaml: line 2, column 9: mapping values are not allowed in this context: look at" },
  { "http --each bom.jsonl --max-wait 1s", 2, "byte order mark" },
  -- other commands
  { "query 'a..b' sound.json", 2, "syntax: found '.'" },
  { "query 'a[' sound.json", 2, "syntax: " },
  { "query 'nothing(@)' sound.json", 2, "unknown-function: " },
  { "query --check 'a..b'", 2, "syntax: found '.'" },
  { "query --ast 'a..b'", 2, "syntax: found '.'" },
  { "query 'abs(a)' sound.json", 1, "invalid-type: " },
  { "query a nothing.json", 2, "nothing.json" },
  { "replay things.lua ThingExists answers.jsonl --max-wait 1s", 2, "name: expected a string, found nothing" },
  { "replay things.lua ThingExists answers.jsonl nmae=x --max-wait 1s", 2, 'did you mean "name"?' },
  { "replay http ServiceHealthy answers.jsonl --max-wait 1s", 2, "url: expected a string, found nothing" },
  { "replay things.lua ThingExists answers.jsonl name=x --max-wait 1s", 0, "ThingExists succeeded" },
  { "replay things.lua ThingExists nothing.jsonl name=x --max-wait 1s", 2, "nothing.jsonl" },
  { "replay things.lua ThingExists bare.jsonl name=x --max-wait 1s", 2, [[a line is {"output": …} or {"error": …}]] },
  { "test nothing", 2, "bide: nothing: no such file or directory" },
  { "exec things.lua", 5, "the script returned a recipe, and waited for nothing: bide run waits for one" },
  { "test things.lua", 2, "things.lua: this is a recipe: its cases are in files *.wait.lua" },
  { "plan things.lua", 2, "--max-wait is missing" },
  { "check nothing.json", 2, "nothing.json" },
  { "show things", 2, "things" },
  { "help --help", 0, "Usage: bide COMMAND" },
  { "help nothing-like-it", 2, "the pages of the documentation are asked-for, " },
}

describe("a mistake", function()
  local workspace = Workspace.of_block()
  local server, address

  setup(function()
    server = Server.start(function()
      return { body = '{"status": "ok", "count": 3}', headers = { ["Content-Type"] = "application/json" } }
    end)
    address = server.url:gsub("^http://", "")
    workspace:write("things.lua", [[
      return { GetThing = { call = function(input) return { name = input.name } end,
        input = { name = { type = "string", required = true } },
        waitable = { ThingExists = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
    ]])
    for name, of in pairs {
      compared = '{ acceptor.output("success", "n", 3) }', compared_too = '{ acceptor.output("failure", "a || b", true) }',
      misspelt = '{ acceptor.output("sucess", "n") }', bare = 'acceptor.output("success", "n")',
      typed = '{ acceptor.success() }',
    } do
      workspace:write(name .. ".lua", ([[
        local acceptor = require "bide.acceptor"
        return { Get = { call = function() return { n = 3 } end, input = { size = { type = %q } },
          waitable = { Ready = { acceptors = %s } } } }
      ]]):format(name == "typed" and "int" or "integer", of))
    end
    workspace:write("status.yaml", "- recipe: http\n  input:\n    url: localhost:1\n    status: 200\n")
    workspace:write("sound.json", '{"a": "b"}')
    workspace:write("answers.jsonl", '{"output": {}}\n')
    workspace:write("bare.jsonl", '{"state": "done"}\n')
    workspace:write("tab.yaml", "- recipe: http\n\tinput:\n    url: x\n")
    workspace:write("deep.yaml", "- recipe: http\n   input:\n    url: x\n")
    workspace:write("log", "listening on 80\n")
    workspace:write("broken.jsonl", '{"recipe": "command", "input": {"run": "true"}}\n{"recipe": \n')
    workspace:write("unknown.jsonl", '{"recipe": "command", "inputs": {"run": "true"}}\n')
    workspace:write("bom.jsonl", '\xEF\xBB\xBF{"url": "x"}\n')
  end)

  teardown(function() server:close() end)

  for _, row in ipairs(mistakes) do
    local line, code, says, omits = table.unpack(row, 1, 4)
    it(("is answered with %d: %s"):format(code, line), function()
      local variables = "unset UNSET; AWS_REGION=r AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b"
      local done = workspace:shell(('%s "$BIDE" %s'):format(variables, (line:gsub("@%f[ %z]", address))))
      assert.equal(code, done.code, done.stdout .. done.stderr)
      assert.matches((says or ""):gsub(" $", ""), done.stderr .. done.stdout, 1, true)
      if omits then assert.not_matches(omits, done.stderr .. done.stdout, 1, true) end
    end)
  end
end)
