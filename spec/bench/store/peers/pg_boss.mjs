// Has pg-boss do jobs that do nothing, and prints a JSON object: their number and the seconds that they took.
//
//   node pg_boss.mjs DSN JOBS
//
// Jobs are fetched and completed 500 at a time by two loops, which is what its workers do, but without the pause of
// half a second that they make after each batch.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/"));
const PgBoss = require("pg-boss");

const [connectionString, text] = process.argv.slice(2);
const jobs = Number(text);
const QUEUE = "nothing", BATCH = 500, LOOPS = 2;
const boss = new PgBoss({ connectionString, supervise: false, schedule: false });
await boss.start();
await boss.createQueue(QUEUE);
await boss.purgeQueue(QUEUE);
for (let first = 0; first < jobs; first += 5000) {
  await boss.insert(Array.from({ length: Math.min(5000, jobs - first) }, () => ({ name: QUEUE, data: {} })));
}

const began = performance.now();
let made = 0;
const work = async () => {
  for (;;) {
    const batch = await boss.fetch(QUEUE, { batchSize: BATCH });
    if (batch.length === 0) return;
    await boss.complete(QUEUE, batch.map((job) => job.id));
    made += batch.length;
  }
};
await Promise.all(Array.from({ length: LOOPS }, work));
if (made !== jobs) throw new Error(`${made} of ${jobs} jobs were done`);
console.log(JSON.stringify({ attempts: jobs, seconds: (performance.now() - began) / 1000 }));
await boss.stop({ graceful: false });
process.exit(0);
