// Searches with jmespath.js: node search.js MODULE, cells on standard input (see ../bench.c).
const fs = require('fs');

// The package compiles with every search; its interpreter alone is what the others are.
const source = fs.readFileSync(process.argv[2], 'utf8').replace(
  'exports.search = search;',
  'exports.search = search; exports.parts = { TreeInterpreter, Runtime };');
const exported = {};
new Function('exports', source)(exported);

function interpreter() {
  const { TreeInterpreter, Runtime } = exported.parts;
  const runtime = new Runtime();
  const tree = new TreeInterpreter(runtime);
  runtime._interpreter = tree;
  return tree;
}

function measure(work) {
  let times = 1, least = Infinity;
  const round = () => {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < times; i++) work();
    return Number(process.hrtime.bigint() - begin);
  };
  while (round() < 2e7) times *= 2;
  for (let i = 0; i < 9; i++) least = Math.min(least, round());
  return least / times;
}

for (const line of fs.readFileSync(0, 'utf8').trim().split('\n')) {
  const [name, bytes, file, expression] = line.split('\t');
  const document = JSON.parse(fs.readFileSync(file, 'utf8'));
  const compiled = exported.compile(expression);
  const tree = interpreter();
  const search_ns = measure(() => tree.search(compiled, document));
  console.log(JSON.stringify({ bench: 'peer', engine: 'jmespath.js', name, bytes: Number(bytes), search_ns }));
}
