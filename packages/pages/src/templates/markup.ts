/**
 * Where in HTML a template stands, as a browser reads it: what decides whether data stays data there.
 *
 * `open` is right behind `<`, `name` in the name of a tag or attribute, `gap` behind something that may have ended or
 * not, `blank` the same behind white space, `equals` behind the name of an attribute, `start` before its value, `lost`
 * nowhere that can be said; `raw` is in an element whose content has no tags.
 */
export interface Markup {
  readonly at:
    | 'text'
    | 'open'
    | 'comment'
    | 'declaration'
    | 'element'
    | 'tag'
    | 'name'
    | 'equals'
    | 'gap'
    | 'blank'
    | 'start'
    | 'value'
    | 'raw'
    | 'lost';
  /** Lower-case; with a slash in an end tag. */
  readonly element: string;
  /** Lower-case. */
  readonly attribute: string;
  readonly quote: '"' | "'" | '';
  /** What was read of something that has not ended: a comment's end, an end tag, the scheme of a URL, a script's type. */
  readonly read: string;
  /** Who says what the scheme of a URL is: nobody so far, the data too, the text, or the text says that it is a script. */
  readonly scheme: 'open' | 'data' | 'fixed' | 'script';
  /** The type of a script. */
  readonly type: string;
}

/** Between tags. */
export const inText: Markup = {
  at: 'text',
  element: '',
  attribute: '',
  quote: '',
  read: '',
  scheme: 'open',
  type: '',
};

const rawElements = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);

const urlAttributes = new Set([
  'action',
  'background',
  'cite',
  'codebase',
  'data',
  'formaction',
  'href',
  'longdesc',
  'manifest',
  'ping',
  'poster',
  'src',
  'xlink:href',
]);

/** Whether the value of an attribute is an address. */
export function isUrl({ attribute }: Markup): boolean {
  return urlAttributes.has(attribute);
}

/** Whether an address in an attribute decides whose scripts the page runs. */
export function loadsScripts(state: Markup): boolean {
  return isUrl(state) && (state.element === 'script' || state.element === 'base');
}

/** Reads on through text of a template. */
export function advance(from: Markup, text: string): Markup {
  let state = from;
  for (const character of text) state = step(state, character);
  return state;
}

/** Behind data that was put into the value of an attribute. */
export function behindData(state: Markup): Markup {
  if (state.at !== 'value') return state;
  // Whatever the type of a script is made of, it is none that we know.
  const read = isScriptType(state) ? '?' : '';
  return { ...state, read, scheme: state.scheme === 'open' ? 'data' : state.scheme };
}

/** Where a template stands behind one of two ways; undefined where that cannot be said. */
export function join(a: Markup, b: Markup): Markup | undefined {
  if (same(a, b)) return a;
  if (a.element !== b.element || a.type !== b.type) return undefined;
  if (a.at === 'value' && b.at === 'value') {
    const differs = a.attribute !== b.attribute || a.quote !== b.quote;
    const isScript = a.scheme === 'script' || b.scheme === 'script' || isScriptType(a);
    return differs || isScript ? undefined : { ...a, read: '', scheme: 'data' };
  }
  const ways = [a.at, b.at];
  if (!ways.every((at) => betweenAttributes.has(at))) return undefined;
  const unsure = ways.some((at) => at === 'name' || at === 'element' || at === 'gap');
  return { ...inTag(a), at: unsure ? 'gap' : 'blank' };
}

/** Whether two places are the same. */
export function same(a: Markup, b: Markup): boolean {
  return (Object.keys(a) as (keyof Markup)[]).every((key) => a[key] === b[key]);
}

const betweenAttributes: ReadonlySet<Markup['at']> = new Set([
  'element',
  'tag',
  'name',
  'equals',
  'gap',
  'blank',
]);

const lost: Markup = { ...inText, at: 'lost' };

function step(state: Markup, character: string): Markup {
  switch (state.at) {
    case 'text':
      return character === '<' ? { ...state, at: 'open' } : state;
    case 'open':
      return open(state, character);
    case 'comment':
      return comment(state, character);
    case 'declaration':
      return character === '>' ? inText : state;
    case 'raw':
      return raw(state, character);
    case 'element':
      if (/[\t\n\f\r />]/.test(character)) return between(inTag(state), character);
      return { ...state, element: state.element + character.toLowerCase() };
    case 'tag':
      return between(state, character);
    case 'name':
      if (character === '=') return { ...state, at: 'start' };
      if (/[\t\n\f\r />]/.test(character)) return between({ ...state, at: 'equals' }, character);
      return { ...state, attribute: state.attribute + character.toLowerCase() };
    case 'equals':
      return character === '=' ? { ...state, at: 'start' } : between(state, character);
    case 'gap':
      return /[\t\n\f\r />]/.test(character) ? between({ ...state, at: 'blank' }, character) : lost;
    case 'blank':
      return character === '=' ? lost : between(state, character);
    case 'start':
      return start(state, character);
    case 'value':
      return value(state, character);
    case 'lost':
      return state;
  }
}

function open(state: Markup, character: string): Markup {
  const read = state.read + character;
  if (read === '!' || read === '!-') return { ...state, read };
  // `<!-->` is a whole comment: its first hyphens are also its last.
  if (read === '!--') return { ...inText, at: 'comment', read: '--' };
  if (state.read === '!') return step({ ...inText, at: 'declaration' }, character);
  if (state.read === '!-') return step({ ...inText, at: 'declaration' }, character);
  if (read === '?') return { ...inText, at: 'declaration' };
  if (read === '/') return { ...state, read };
  if (state.read === '/' && !/[a-z]/i.test(character))
    return step({ ...inText, at: 'declaration' }, character);
  if (/[a-z]/i.test(character)) return { ...inText, at: 'element', element: read.toLowerCase() };
  return step(inText, character);
}

function comment(state: Markup, character: string): Markup {
  const read = (state.read + character).slice(-4);
  return read.endsWith('-->') || read === '--!>' ? inText : { ...state, read };
}

function raw(state: Markup, character: string): Markup {
  const end = `</${state.element}`;
  const read = state.read + character.toLowerCase();
  if (state.read === end && /[\t\n\f\r />]/.test(character))
    return between({ ...inText, at: 'tag', element: `/${state.element}` }, character);
  if (end.startsWith(read)) return { ...state, read };
  return { ...state, read: character === '<' ? '<' : '' };
}

/** Inside of a tag, with nothing begun. */
function inTag({ element, type }: Markup): Markup {
  return { ...inText, at: 'tag', element, type };
}

/** Takes white space, the end of the tag, or the first character of a name. */
function between(state: Markup, character: string): Markup {
  if (character === '>') return content(state);
  if (/[\t\n\f\r ]/.test(character)) return state;
  if (character === '/') return inTag(state);
  return { ...inTag(state), at: 'name', attribute: character.toLowerCase() };
}

function content({ element, type }: Markup): Markup {
  return rawElements.has(element) ? { ...inText, at: 'raw', element, type } : inText;
}

function start(state: Markup, character: string): Markup {
  if (/[\t\n\f\r ]/.test(character)) return state;
  if (character === '>') return content(state);
  if (character === '"' || character === "'") return { ...state, at: 'value', quote: character };
  return value({ ...state, at: 'value' }, character);
}

function value(state: Markup, character: string): Markup {
  const ends = state.quote === '' ? /[\t\n\f\r >]/.test(character) : character === state.quote;
  if (ends) {
    const tag = inTag(isScriptType(state) ? { ...state, type: state.read } : state);
    return state.quote === '' ? between(tag, character) : tag;
  }
  if (isScriptType(state)) return { ...state, read: (state.read + character.toLowerCase()).slice(0, 100) };
  return isUrl(state) ? address(state, character) : state;
}

function isScriptType({ element, attribute }: Markup): boolean {
  return element === 'script' && attribute === 'type';
}

/** The scheme of an address is what stands before the first colon, unless something else of it comes before. */
function address(state: Markup, character: string): Markup {
  if (state.scheme === 'fixed' || state.scheme === 'script') return state;
  const read = (state.read + character.toLowerCase()).slice(0, 100);
  if (reference.test(read)) return state.scheme === 'data' ? lost : { ...state, read: '', scheme: 'script' };
  if (loadsScripts(state))
    return hostAndPath.test(read) && state.scheme === 'open'
      ? { ...state, read: '', scheme: 'fixed' }
      : { ...state, read };
  if (/[/?#]/.test(character)) return { ...state, read: '', scheme: 'fixed' };
  // Browsers take these out wherever they stand.
  if (/[\s\p{Cc}]/u.test(character)) return state;
  if (character !== ':') return { ...state, read };
  if (state.scheme === 'data') return lost;
  return { ...state, read: '', scheme: /^(?:javascript|vbscript)$/.test(state.read) ? 'script' : 'fixed' };
}

/** A character reference, which may stand for a colon or a space; `&amp;` is what every query has. */
const reference = /&(?:#|(?!amp;)\w+;)/;

/** The host of an address, as far as it has one, and the beginning of a path: data behind it leads to no other host. */
const hostAndPath = /^(?:(?:https?:)?\/\/[\w.:-]+[/?#]|\/[\w.~@%?#-]|\.{1,2}\/|[\w.-]+[/?#]|[?#])/;
