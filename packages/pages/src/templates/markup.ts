import {
  isContent,
  isHttpEquiv,
  isImageList,
  isKeyword,
  isRefresh,
  isScriptType,
  isUrl,
  loadsScripts,
} from './attributes.ts';
import { rawElements, readingOf, withinBehind } from './foreign-content.ts';

/**
 * Where in HTML a template stands, as a browser reads it: what decides whether data stays data there.
 *
 * `open` is right behind `<`, `name` in the name of a tag or attribute, `gap` behind something that may have ended or
 * not, `blank` the same behind white space, `equals` behind the name of an attribute, `start` before its value, `lost`
 * nowhere that can be said; `raw` is in an element whose content has no tags, `cdata` in a part of SVG without tags.
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
    | 'cdata'
    | 'lost';
  /** Lower-case; with a slash in an end tag. */
  readonly element: string;
  /** Lower-case. */
  readonly attribute: string;
  readonly quote: '"' | "'" | '';
  /** What was read of something that has not ended: a comment's end, an end tag, the scheme of a URL, a script's type. */
  readonly read: string;
  /**
   * Who says what the scheme of a URL is: nobody so far, the data too, the text, or the text says that it is a script.
   * `none` where the value of the attribute is no URL yet, or no more.
   */
  readonly scheme: 'open' | 'data' | 'fixed' | 'script' | 'none';
  /** The type of a script; of a `<meta>` that it is a `refresh`, or else that data was in its `content`. */
  readonly type: string;
  /** The elements of SVG and MathML around it, as far as they decide how content is read; empty in HTML alone. */
  readonly within: string;
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
  within: '',
};

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
  const read = isKeyword(state) ? '?' : '';
  const type = isContent(state) && state.type === '' ? 'data' : state.type;
  return { ...state, read, type, scheme: state.scheme === 'open' ? 'data' : state.scheme };
}

/** Where a template stands behind one of two ways; undefined where that cannot be said. */
export function join(a: Markup, b: Markup): Markup | undefined {
  if (same(a, b)) return a;
  if (a.element !== b.element || a.within !== b.within) return undefined;
  if (a.type !== b.type) {
    // Of the two ways to read a `<meta>` the stricter one is right for both.
    if (a.element !== 'meta' || (a.type !== '' && b.type !== '')) return undefined;
    const type = a.type || b.type;
    return join({ ...a, type }, { ...b, type });
  }
  if (a.at === 'value' && b.at === 'value') {
    const differs = a.attribute !== b.attribute || a.quote !== b.quote;
    const isKnown = [a.scheme, b.scheme].some((scheme) => scheme === 'script' || scheme === 'none');
    return differs || isKnown || isKeyword(a) ? undefined : { ...a, read: '', scheme: 'data' };
  }
  // A name that has no value yet, or will have none.
  if (isScriptType(a) || isScriptType(b)) return undefined;
  const ways = [a.at, b.at];
  if (!ways.every((at) => betweenAttributes.has(at))) return undefined;
  // The slash of a tag that closes itself: it does in SVG, and must not depend on anything.
  if (a.read !== b.read) return undefined;
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
      return declaration(state, character);
    case 'cdata':
      return cdata(state, character);
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
  const text = inTextOf(state);
  if (read === '!' || read === '!-') return { ...state, read };
  // `<!-->` is a whole comment: its first hyphens are also its last.
  if (read === '!--') return { ...text, at: 'comment', read: '--' };
  if (state.read === '!') return step({ ...text, at: 'declaration' }, character);
  if (state.read === '!-') return step({ ...text, at: 'declaration', read: '-' }, character);
  if (read === '?') return { ...text, at: 'declaration', read };
  if (read === '/') return { ...state, read };
  if (state.read === '/' && !/[a-z]/i.test(character))
    return step({ ...text, at: 'declaration', read: '/' }, character);
  if (/[a-z]/i.test(character)) return { ...text, at: 'element', element: read.toLowerCase() };
  return step(text, character);
}

/** Between tags, in the same elements. */
function inTextOf({ within }: Markup): Markup {
  return { ...inText, within };
}

function declaration(state: Markup, character: string): Markup {
  if (character === '>') return inTextOf(state);
  const read = state.read + character;
  if (read !== '[CDATA[') return { ...state, read: '[CDATA['.startsWith(read) ? read : '-' };
  if (state.within === '') return { ...state, read: '-' };
  // To elements of HTML in SVG it would be a comment that ends with the first ">".
  return readingOf(state.within) === 'foreign'
    ? { ...inTextOf(state), at: 'cdata' }
    : { ...lost, element: '![CDATA[' };
}

function cdata(state: Markup, character: string): Markup {
  const read = (state.read + character).slice(-3);
  return read === ']]>' ? inTextOf(state) : { ...state, read };
}

function comment(state: Markup, character: string): Markup {
  const read = (state.read + character).slice(-4);
  return read.endsWith('-->') || read === '--!>' ? inTextOf(state) : { ...state, read };
}

function raw(state: Markup, character: string): Markup {
  const end = `</${state.element}`;
  const read = state.read + character.toLowerCase();
  // It ends this element and none of those around it, which may have the same name.
  if (state.read === end && /[\t\n\f\r />]/.test(character))
    return between({ ...inTextOf(state), at: 'tag', element: `/${state.element}`, type: 'raw' }, character);
  if (end.startsWith(read)) return { ...state, read };
  return { ...state, read: character === '<' ? '<' : '' };
}

/** Inside of a tag, with nothing begun. */
function inTag({ element, type, within }: Markup): Markup {
  return { ...inText, at: 'tag', element, type, within };
}

/** Takes white space, the end of the tag, or the first character of a name. */
function between(from: Markup, character: string): Markup {
  if (/[\t\n\f\r ]/.test(character)) return { ...from, read: '' };
  // A name without a value.
  const state = from.at === 'equals' && isScriptType(from) ? { ...from, type: unknownType } : from;
  if (character === '>') return content(state);
  if (character === '/') return { ...inTag(state), read: '/' };
  return { ...inTag(state), at: 'name', attribute: character.toLowerCase() };
}

function content(state: Markup): Markup {
  const { element, type } = state;
  if (element.startsWith('/') && type === 'raw') return inTextOf(state);
  if (rawElements.has(element) && readingOf(state.within) === 'html')
    return { ...inTextOf(state), at: 'raw', element, type };
  const within = withinBehind(state.within, element, state.read === '/');
  return within === undefined ? { ...lost, element } : { ...inText, within };
}

function start(state: Markup, character: string): Markup {
  if (/[\t\n\f\r ]/.test(character)) return state;
  if (character === '>') return content(state);
  const begun: Markup = { ...state, at: 'value', scheme: isRefresh(state) ? 'none' : 'open' };
  if (character === '"' || character === "'") return { ...begun, quote: character };
  return value(begun, character);
}

function value(state: Markup, character: string): Markup {
  const ends = state.quote === '' ? /[\t\n\f\r >]/.test(character) : character === state.quote;
  if (ends) return ended(state, character);
  if (isKeyword(state)) return { ...state, read: (state.read + character.toLowerCase()).slice(0, 100) };
  if (isImageList(state)) return imageList(state, character);
  if (isRefresh(state)) return refresh(state, character);
  return isUrl(state) ? address(state, character) : state;
}

function ended(state: Markup, character: string): Markup {
  const type = typeBehind(state);
  // What its content is was not known when data was put there.
  if (type === 'refresh' && state.type === 'data') return lost;
  const tag = inTag({ ...state, type });
  return state.quote === '' ? between(tag, character) : tag;
}

/** Of a script with data in it there is none but JSON. */
const unknownType = '?';

function typeBehind(state: Markup): string {
  // Of two the first one counts, also where it is empty.
  if (isScriptType(state)) return state.type === '' && state.read !== '' ? state.read : unknownType;
  // A reference may stand for any letter.
  return isHttpEquiv(state) && /^\s*refresh\s*$|&/.test(state.read) ? 'refresh' : state.type;
}

/** `5; url=/next`: the address begins behind `url=`, maybe in quotes. */
function refresh(state: Markup, character: string): Markup {
  if (state.scheme === 'none') {
    const read = (state.read + character).slice(0, 100);
    return /^\s*[\d.]+(?:\s*[;,]|\s)\s*url\s*=$/i.test(read)
      ? { ...state, read: '', scheme: 'open' }
      : { ...state, read };
  }
  return /["']/.test(character) && state.read === '' ? state : address(state, character);
}

/** `/a.png 1x, /b.png 2x`: white space ends an address, a comma what follows it. */
function imageList(state: Markup, character: string): Markup {
  if (state.scheme === 'none') return character === ',' ? { ...state, read: '', scheme: 'open' } : state;
  const begun = state.scheme !== 'open' || state.read !== '';
  if (/[\t\n\f\r ]/.test(character)) {
    if (!begun) return state;
    // Commas at the end of an address end all of its candidate.
    return { ...state, read: '', scheme: state.read.endsWith(',') ? 'open' : 'none' };
  }
  if (!begun && character === ',') return state;
  const next = address(state, character);
  if (next.scheme !== 'fixed') return next;
  // A reference may stand for white space or a comma.
  const read = (state.scheme === 'fixed' ? state.read + character : character).slice(-12);
  return reference.test(read) ? { ...next, read: '', scheme: 'script' } : { ...next, read };
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
