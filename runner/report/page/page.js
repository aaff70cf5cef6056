'use strict';
(() => {
  const find = document.querySelector('.find');
  if (!find) return;
  const words = find.querySelector('input'), state = find.querySelector('select');
  const shown = find.querySelector('output'), all = find.querySelector('button');
  const items = [...document.querySelectorAll('[data-words]')];
  const total = document.querySelectorAll('section.test').length;
  find.hidden = false;

  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const item of items) {
      const fits = wanted.every(word => item.dataset.words.toLowerCase().includes(word)) &&
        (!state.value || item.dataset.state.split(' ').includes(state.value));
      item.hidden = !fits;
      if (fits && item.matches('section')) n++;
    }
    for (const folder of document.querySelectorAll('[data-folder]'))
      folder.hidden = !folder.querySelector('[data-words]:not([hidden])');
    shown.textContent = n + ' of ' + total + ' tests';
  };
  const open = yes => document.querySelectorAll('section.test details').forEach(d => { d.open = yes; });

  words.addEventListener('input', filter);
  state.addEventListener('change', filter);
  all.addEventListener('click', () => {
    const yes = all.getAttribute('aria-pressed') !== 'true';
    all.setAttribute('aria-pressed', yes);
    open(yes);
  });
  addEventListener('keydown', e => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (e.key === '/' && !typing && !e.ctrlKey && !e.metaKey) {
      e.preventDefault();
      words.focus();
    } else if (e.key === 'Escape' && document.activeElement === words) {
      words.value = '';
      filter();
    }
  });
  const reveal = () => {
    const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!at) return;
    for (let e = at; e; e = e.parentElement) {
      if (e.tagName === 'DETAILS') e.open = true;
      e.hidden = false;
    }
    at.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  let before = [];
  addEventListener('beforeprint', () => {
    before = [...document.querySelectorAll('details:not([open])')];
    before.forEach(d => { d.open = true; });
  });
  addEventListener('afterprint', () => before.forEach(d => { d.open = false; }));
  filter();
  reveal();
})();
