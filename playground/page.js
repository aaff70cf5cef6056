'use strict';
(() => {
  const MOST = 256 * 1024;      // letters of a test
  const MOST_IN_LINK = 32000;   // letters of a link's part that holds the test
  const SECONDS = 10;           // for all cells
  const $ = id => document.getElementById(id);
  const text = $('text'), model = $('model'), shipped = $('shipped'), state = $('state'), answer = $('answer');
  const tests = JSON.parse($('tests').textContent);
  const byText = new Map(tests.map(test => [test.text.trim(), test]));

  const trouble = words => {
    $('trouble').textContent = words;
    $('trouble').hidden = !words;
  };
  const plain = (tag, words, className) => {
    const e = document.createElement(tag);
    e.textContent = words;
    if (className) e.className = className;
    return e;
  };

  // ---- links: #m=MODEL&z=TEST, the test as UTF-8, compressed by deflate, as base64 with the letters of addresses; t=TEST is
  // the same without compression ----

  const toLetters = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
    .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  const fromLetters = code =>
    Uint8Array.from(atob(code.replace(/-/g, '+').replace(/_/g, '/')), letter => letter.charCodeAt(0));
  // What a stream makes of bytes; it is given up beyond so many.
  const pass = async (bytes, stream, most) => {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
    let size = 0;
    for (;;) {
      const {done, value} = await reader.read();
      if (done) break;
      parts.push(value);
      if ((size += value.length) > most) {
        reader.cancel();
        throw new RangeError('too long');
      }
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  };
  const encode = async words => {
    const bytes = new TextEncoder().encode(words);
    if (typeof CompressionStream !== 'function') return 't=' + toLetters(bytes);
    return 'z=' + toLetters(await pass(bytes, new CompressionStream('deflate-raw'), Infinity));
  };
  const decode = async (code, packed) => {
    let bytes = fromLetters(code);
    if (packed) bytes = await pass(bytes, new DecompressionStream('deflate-raw'), MOST);
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  };
  // '' where it would be too long.
  const makeLink = async () => {
    if (text.value.length > MOST) return '';
    const code = await encode(text.value);
    return code.length > MOST_IN_LINK ? '' : '#' + (model.value ? 'm=' + model.value + '&' : '') + code;
  };

  // What the address holds: a test; '' if none. Says what is wrong with it.
  const readLink = async () => {
    const parts = Object.fromEntries(location.hash.slice(1).split('&').map(part => part.split('=')));
    if (parts.m !== undefined) {
      const known = [...model.options].some(option => option.value === parts.m);
      if (known) model.value = parts.m;
      else trouble('The link names a model that is not in this page.');
    }
    const code = parts.z !== undefined ? parts.z : parts.t;
    if (code === undefined) return '';
    if (code.length > MOST_IN_LINK) {
      trouble('The link is too long: the playground reads links of up to ' + MOST_IN_LINK + ' letters.');
      return '';
    }
    if (parts.z !== undefined && typeof DecompressionStream !== 'function') {
      trouble('This browser cannot read the link: it is too old to decompress the test.');
      return '';
    }
    try {
      return await decode(code, parts.z !== undefined);
    } catch (e) {
      trouble(e instanceof RangeError ? 'The link holds a test that is too long for this page.'
        : 'The link is broken: it holds no test. Was all of it copied?');
      return '';
    }
  };

  // ---- the editor ----

  const number = messages => {
    const lines = text.value.length > MOST ? 1 : text.value.split('\n').length;
    const worst = new Map();
    for (const m of messages) if (worst.get(m.line) !== 'error') worst.set(m.line, m.severity);
    $('numbers').replaceChildren(...Array.from({length: lines}, (_, k) => plain('div', k + 1, worst.get(k + 1))));
    $('numbers').scrollTop = text.scrollTop;
  };
  const goTo = (line, column) => {
    const lines = text.value.split('\n');
    const at = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + Math.max(0, column - 1);
    text.focus();
    text.setSelectionRange(at, at);
    text.scrollTop = (line - 5) * text.scrollHeight / Math.max(1, lines.length);
  };
  const showMessages = messages => {
    $('messages').replaceChildren(...messages.map(m => {
      const item = plain('li', '', m.severity === 'error' ? 'bad' : 'open');
      if (m.line > 0) {
        const to = plain('button', 'line ' + m.line);
        to.type = 'button';
        to.addEventListener('click', () => goTo(m.line, m.column));
        item.append(to, ': ');
      }
      item.append(m.severity + ': ' + m.text);
      return item;
    }));
    number(messages);
  };

  // ---- what a GPU showed ----

  const percent = rate => rate === 0 ? '0' : rate >= 1e-4 ? (100 * rate).toPrecision(2) + '%' : rate.toExponential(1);
  const showRates = () => {
    const test = byText.get(text.value.trim());
    $('rates').replaceChildren();
    shipped.value = test ? test.file : '';
    if (!test) {
      $('rates').append(plain('p', 'Rates of a GPU are recorded for the shipped tests; this text is not one of them.', 'dim'));
      return;
    }
    if (!test.cells.length) return;
    const columns = [...new Set(test.cells.map(c => c[2]))];
    const rows = [...new Set(test.cells.map(c => c[0] + ' ' + c[1]))];
    const table = document.createElement('table'), head = table.createTHead().insertRow(), body = table.createTBody();
    table.createCaption().textContent = 'recorded on ' + test.device + ': how many runs showed it';
    head.append(plain('th', ''), ...columns.map(name => plain('th', name.replaceAll(',', ',\u200b'))));
    for (const row of rows) {
      const line = body.insertRow();
      line.append(plain('th', row));
      for (const column of columns) {
        const c = test.cells.find(cell => cell[0] + ' ' + cell[1] === row && cell[2] === column);
        const cell = plain('td', !c ? '' : c[4] === 'skipped' ? 'skipped' : percent(c[3]), 'n');
        if (c && c[4] !== 'skipped') cell.append(plain('small', c[4] + ', ' + c[5].toExponential(0).replace('e+', 'e') + ' runs'));
        line.append(cell);
      }
    }
    const box = plain('div', '', 'scroll');
    box.tabIndex = 0;
    box.append(table);
    $('rates').append(box);
  };

  // ---- the engine, in a worker that is started again when it is stuck or breaks ----

  let worker = null, ready = false, asked = null, waiting = null, stuck = 0;
  // The engine is in its text: it has nothing to fetch, and the page's policy would not let it.
  const source = () => 'self.fetch = undefined;\n' + $('engine').textContent + '\n;' +
    'load(culitmus).then(engine => { onmessage = e => { const begin = performance.now();' +
    'const answer = engine.check(e.data.text, e.data.model, e.data.seconds);' +
    'postMessage({answer, milliseconds: performance.now() - begin}); }; postMessage({ready: true}); });';
  const start = () => {
    if (worker) worker.terminate();
    ready = false;
    asked = null;
    worker = new Worker(URL.createObjectURL(new Blob([source()], {type: 'text/javascript'})));
    worker.onmessage = e => {
      if (e.data.ready) ready = true;
      else receive(e.data);
      next();
    };
    worker.onerror = e => {
      e.preventDefault();
      const lost = asked;
      state.textContent = lost ? 'The engine ended: the test needs more memory than a page has. The tool has more.'
        : 'The engine does not start in this browser.';
      if (lost) start();
    };
  };
  const next = () => {
    if (!ready || asked || !waiting) return;
    asked = waiting;
    waiting = null;
    clearTimeout(stuck);
    stuck = setTimeout(() => {
      if (!asked) return;
      start();
      state.textContent = 'No answer after ' + 2 * SECONDS + ' seconds: the test is too much for a page.';
    }, 2000 * SECONDS);
    worker.postMessage(asked);
  };
  const receive = ({answer: found, milliseconds}) => {
    const of = asked;
    asked = null;
    clearTimeout(stuck);
    if (waiting) return;
    showMessages(found.messages);
    answer.className = '';
    const words = new Map();
    for (const c of found.cells) words.set(c.word, (words.get(c.word) || 0) + 1);
    const counts = [...words].map(([word, n]) => n + ' ' + (word === '-' ? 'without a model' : word)).join(', ');
    const racing = found.cells.filter(c => c.races > 0).length;
    const errors = found.messages.filter(m => m.severity === 'error').length;
    state.textContent = errors ? 'The test has ' + (errors === 1 ? 'an error.' : errors + ' errors.')
      : found.cells.length + (found.cells.length === 1 ? ' cell: ' : ' cells: ') + counts + (racing ? '; ' + racing + ' with races' : '') + ' (' + milliseconds.toFixed(0) + ' ms)';
    // Every text in it was escaped by the engine, as on the tool's own page.
    answer.innerHTML = found.html;
    document.title = (found.test ? found.test + ' - ' : '') + 'culitmus playground';
    document.body.dataset.answered = of.id;
    document.body.dataset.milliseconds = milliseconds;
  };

  let id = 0;
  const ask = () => {
    showRates();
    if (text.value.length > MOST) {
      showMessages([]);
      state.textContent = 'The test is too long: the playground reads up to ' + MOST / 1024 + ' KiB. The tool reads more.';
      answer.replaceChildren();
      document.body.dataset.answered = ++id;
      return;
    }
    answer.className = 'old';
    waiting = {text: text.value, model: model.value, seconds: SECONDS, id: ++id};
    if (worker) next();
    showLink(id);
  };
  const showLink = async of => {
    const link = await makeLink();
    if (of !== id) return;
    history.replaceState(null, '', link || location.pathname + location.search);
    $('copy').disabled = !link;
    $('copy').title = link ? '' : 'The test is too long for a link.';
  };

  let later = 0;
  text.addEventListener('input', () => {
    number([]);
    clearTimeout(later);
    later = setTimeout(ask, 250);
  });
  text.addEventListener('scroll', () => { $('numbers').scrollTop = text.scrollTop; });
  text.addEventListener('keydown', e => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) ask();
  });
  model.addEventListener('change', ask);
  shipped.addEventListener('change', () => {
    const test = tests.find(t => t.file === shipped.value);
    if (!test) return;
    text.value = test.text;
    text.scrollTop = 0;
    trouble('');
    ask();
  });
  $('copy').addEventListener('click', async () => {
    const address = location.href.split('#')[0] + await makeLink();
    try {
      await navigator.clipboard.writeText(address);
      $('copy').textContent = 'copied';
    } catch {
      prompt('The link:', address);
    }
    setTimeout(() => { $('copy').textContent = 'copy a link to this'; }, 2000);
  });
  addEventListener('hashchange', async () => {
    trouble('');
    const linked = await readLink();
    if (linked) text.value = linked;
    ask();
  });

  let group = null, folder = null;
  for (const test of tests) {
    const here = test.file.split('/')[0];
    if (here !== folder) {
      group = document.createElement('optgroup');
      group.label = folder = here;
      shipped.append(group);
    }
    const option = plain('option', test.name);
    option.value = test.file;
    group.append(option);
  }
  const open = async () => {
    text.value = await readLink() || (tests.find(t => t.name === 'MP') || tests[0]).text;
    number([]);
    ask();
    if (typeof WebAssembly === 'object' && typeof Worker === 'function') {
      start();
      return;
    }
    trouble('This browser has no WebAssembly, so nothing can be checked here. Another browser can, and so can the tool: culitmus check.');
    state.textContent = '';
  };
  open();
})();
