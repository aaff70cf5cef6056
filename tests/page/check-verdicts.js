// check-verdicts.js ENGINE JUDGED SUITE: what the playground's engine says of every sixth test of the suite is what the
// tool says, cell by cell: the folder JUDGED has the results of `check` of each folder. Neither is asked of kernels that
// nvcc compiles, which a page cannot.
'use strict';
const fs = require('fs');
const path = require('path');
const {load} = require('../../playground/engine-call.js');

const word = answer => answer === null ? 'unknown' : answer ? 'yes' : 'no';
const judged = m => m ? `${word(m.allowed)} ${word(m.holds)} ${m.outcomes} ${m.executions}` : '';
const name = c => [c.placement, c.access, c.fence].join(', ');

// The tests of a folder, by the results that `check` wrote of it.
function read(file) {
  // a number has not so many digits
  const exact = fs.readFileSync(file, 'utf8').replace(/"(executions|outcomes)": (\d{16,})/g, '"$1": "$2"');
  return JSON.parse(exact).tests;
}

function ask(folder, suite) {
  const names = fs.readdirSync(suite, {withFileTypes: true}).filter(e => e.isDirectory())
    .map(e => e.name).filter(name => name !== 'lifted');
  return names.flatMap(name => read(path.join(folder, name + '.json'))).filter((_, k) => k % 6 === 0);
}

async function main() {
  const [enginePath, judgedPath, suite] = process.argv.slice(2);
  const engine = await load(require(path.resolve(enginePath)));
  let wrong = 0, cells = 0, slowest = 0;
  const tests = ask(judgedPath, suite);
  for (const test of tests) {
    const begin = performance.now();
    const answer = engine.check(fs.readFileSync(path.resolve(suite, test.file), 'utf8'), '', 0);
    slowest = Math.max(slowest, performance.now() - begin);
    const mine = answer.cells.map(c => `${name(c)}: ${c.counts}, ${c.races} races`);
    const theirs = test.cells.map(c => `${name(c)}: ${judged(c.model)}, ${(c.races || []).length} races`);
    const notes = (answer.html.match(/race: /g) || []).length;
    if (!notes !== theirs.every(line => line.endsWith(' 0 races'))) {
      wrong++;
      console.log(`${test.file}: the page tells ${notes} races`);
    }
    cells += theirs.length;
    for (let k = 0; k < Math.max(mine.length, theirs.length); k++) {
      if (mine[k] === theirs[k]) continue;
      wrong++;
      console.log(`${test.file}: the engine says '${mine[k]}', the tool '${theirs[k]}'`, answer.messages);
    }
  }
  console.log(`${tests.length} tests, ${cells} cells, ${wrong} differ; the slowest took ${(slowest / 1000).toFixed(2)} s`);
  process.exit(wrong || !cells ? 1 : 0);
}

main();
