// Has graphile-worker do jobs that do nothing, and prints a JSON object: their number and the seconds that they took.
//
//   node graphile.mjs DSN JOBS
//
// As its page "Performance" advises for many short jobs: a local queue, so that jobs are fetched 500 at a time, and batched
// completions. The seconds are those until the last job is gone from its table.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/"));
const { Logger, makeWorkerUtils, run } = require("graphile-worker");
const { Client } = require("pg");

const [connectionString, text] = process.argv.slice(2);
const jobs = Number(text);
const logger = new Logger(() => () => {});
const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
await utils.release();
const client = new Client({ connectionString });
await client.connect();
const left = async () =>
  Number((await client.query("SELECT count(*) FROM graphile_worker._private_jobs")).rows[0].count);
await client.query("TRUNCATE graphile_worker._private_jobs");
await client.query(
  `SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(SELECT
     ('nothing', '{}'::json, NULL, NULL, NULL, NULL, NULL, NULL)::graphile_worker.job_spec
     FROM generate_series(1, $1::int)))`, [jobs]);
await client.query("ANALYZE graphile_worker._private_jobs");

const began = performance.now();
let made = 0;
const all = Promise.withResolvers ? Promise.withResolvers() : (() => {
  const it = {};
  it.promise = new Promise((resolve) => { it.resolve = resolve; });
  return it;
})();
const runner = await run({
  taskList: { nothing: () => { if (++made === jobs) all.resolve(); } },
  preset: { worker: {
    connectionString, logger, concurrentJobs: 24, maxPoolSize: 10, pollInterval: 1000,
    localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0,
  } },
});
await all.promise;
while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
console.log(JSON.stringify({ attempts: jobs, seconds: (performance.now() - began) / 1000 }));
await runner.stop();
await client.end();
process.exit(0);
