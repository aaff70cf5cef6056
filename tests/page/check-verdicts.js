// check-verdicts.js ENGINE CULITMUS SUITE: what the playground's engine says of every sixth test of the suite is what the
// tool says, cell by cell. Neither is asked of kernels that nvcc compiles, which a page cannot.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {execFileSync} = require('child_process');
const {load} = require('../../playground/engine-call.js');

const word = answer => answer === null ? 'unknown' : answer ? 'yes' : 'no';
const judged = m => m ? `${word(m.allowed)} ${word(m.holds)} ${m.outcomes} ${m.executions}` : '';
const name = c => [c.placement, c.access, c.fence].join(', ');

function ask(tool, suite) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'playground-')), file = path.join(folder, 'suite.json');
  const folders = fs.readdirSync(suite, {withFileTypes: true}).filter(e => e.isDirectory())
    .map(e => e.name).filter(name => name !== 'lifted');
  execFileSync(tool, ['check', ...folders, '--json', file], {cwd: suite, stdio: 'ignore'});
  // a number has not so many digits
  const exact = fs.readFileSync(file, 'utf8').replace(/"(executions|outcomes)": (\d{16,})/g, '"$1": "$2"');
  const results = JSON.parse(exact);
  fs.rmSync(folder, {recursive: true});
  return results.tests.filter((_, k) => k % 6 === 0);
}

async function main() {
  const [enginePath, tool, suite] = process.argv.slice(2);
  const engine = await load(require(path.resolve(enginePath)));
  let wrong = 0, cells = 0, slowest = 0;
  const tests = ask(tool, suite);
  for (const test of tests) {
    const begin = performance.now();
    const answer = engine.check(fs.readFileSync(path.join(suite, test.file), 'utf8'), '', 0);
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
