// Calls the engine: text in, an object out. In the playground's worker, and under node in its tests.
'use strict';

const split = text => text.split('\n').filter(Boolean).map(line => line.split('\t'));

async function load(create) {
  const engine = await create();
  const copy = text => {
    const size = engine.lengthBytesUTF8(text) + 1, at = engine._malloc(size);
    engine.stringToUTF8(text, at, size);
    return at;
  };
  // `model`: '' for the test's own. `seconds`: 0 for no limit.
  const check = (text, model, seconds) => {
    const at = copy(text), name = copy(model);
    const answer = engine.UTF8ToString(engine._engine_check(at, name, seconds));
    engine._free(at);
    engine._free(name);
    const [messages, html, cells, test] = answer.split('\f');
    return {
      messages: split(messages).map(([severity, line, column, text]) => ({severity, line: +line, column: +column, text})),
      html, test,
      cells: split(cells).map(([placement, access, fence, word, races, counts]) =>
        ({placement, access, fence, word, races: +races, counts})),
    };
  };
  return {check};
}

if (typeof module !== 'undefined') module.exports = {load};
