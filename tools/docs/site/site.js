// The menu of narrow screens, and the search: its index is a script, so that it is found from a folder as well as from a server.
const wide = matchMedia('(min-width: 56rem)');
const menu = document.querySelector('.menu');
const fold = () => menu?.toggleAttribute('open', wide.matches);
fold();
wide.addEventListener('change', fold);
menu?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
scrollTo({ top: 0 });

const input = document.querySelector('.search input');
const results = document.querySelector('.results');
const shown = 12;

let loading;
/** Loads the index when it is asked for first. */
function index() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${input.dataset.root}search-index.js`;
    script.onload = () => resolve(globalThis.searchIndex);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

/** Every word must be there; titles count most, then headings, then whole words of the text. */
function score({ title, heading, text }, words) {
  let sum = 0;
  for (const word of words) {
    const inTitle = title.toLowerCase().includes(word);
    const inHeading = heading.toLowerCase().includes(word);
    const at = text.toLowerCase().indexOf(word);
    if (!inTitle && !inHeading && at < 0) return 0;
    sum += (inTitle ? 12 : 0) + (inHeading ? 8 : 0) + (at >= 0 ? 2 : 0);
    if (title.toLowerCase() === word) sum += 20;
  }
  return sum;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return `${at > 0 ? '…' : ''}${text.slice(at, at + 140)}`;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    results.hidden = true;
    return;
  }
  const all = await index();
  const found = all
    .map((entry) => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, shown);
  results.replaceChildren(...found.map(({ entry }) => toItem(entry, words[0])));
  if (found.length === 0)
    results.append(Object.assign(document.createElement('li'), { textContent: 'Nothing is found' }));
  results.hidden = false;
}

function toItem({ title, heading, path, text }, word) {
  const link = document.createElement('a');
  link.href = input.dataset.root + path;
  const name = document.createElement('strong');
  name.textContent = heading === title ? title : `${title} › ${heading}`;
  const words = document.createElement('span');
  words.textContent = excerpt(text, word);
  link.append(name, words);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

input.addEventListener('focus', () => void index());
input.addEventListener('input', () => void search());
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape') results.hidden = true;
  if (event.key === 'Enter' && document.activeElement === input) results.querySelector('a')?.click();
});
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search')) results.hidden = true;
});
