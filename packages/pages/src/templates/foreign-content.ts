/**
 * How the content of an element is read: as HTML, where the content of some elements has no tags; as SVG or MathML, where
 * there are no such elements; or as one of both (HTML standard, 13.2.6.5).
 */
export type Reading = 'html' | 'foreign' | 'unsure';

/**
 * How content is read.
 *
 * @param within the open elements that decide it, outermost first, with spaces between
 */
export function readingOf(within: string): Reading {
  const inner = innermost(within);
  if (inner === '' || integrationPoints.has(inner)) return 'html';
  // Its attribute says which, and that may be data.
  return inner === 'annotation-xml' ? 'unsure' : 'foreign';
}

/** The element that decides how content is read. */
export function innermost(within: string): string {
  return within.slice(within.lastIndexOf(' ') + 1);
}

/**
 * The elements that decide how content is read behind a tag.
 *
 * @param tag its name; with a slash for an end tag
 * @returns undefined where that cannot be said
 */
export function withinBehind(within: string, tag: string, selfClosing: boolean): string | undefined {
  if (tag.startsWith('/')) return behindEnd(within, tag.slice(1));
  const reading = readingOf(within);
  if (reading === 'foreign' && breakouts.has(tag)) return outside(within);
  // With some attributes it is one of those.
  if (reading === 'foreign' && tag === 'font') return undefined;
  if (reading === 'unsure' && rawElements.has(tag)) return undefined;
  if (selfClosing || !decides(within, reading, tag)) return within;
  return within === '' ? tag : `${within} ${tag}`;
}

/** Elements of HTML whose content has no tags. */
export const rawElements: ReadonlySet<string> = new Set([
  ...['script', 'style', 'textarea', 'title'],
  ...['xmp', 'iframe', 'noembed', 'noframes'],
]);

function decides(within: string, reading: Reading, tag: string): boolean {
  if (reading !== 'foreign') return tag === 'svg' || tag === 'math';
  const root = within.slice(Math.max(within.lastIndexOf('svg'), within.lastIndexOf('math')));
  // Scripts and styles are read as any other element there, and data in them is refused all the same.
  if (tag === 'script' || tag === 'style') return true;
  return root.startsWith('svg') ? svgElements.has(tag) : mathElements.has(tag);
}

function behindEnd(within: string, name: string): string | undefined {
  if (readingOf(within) === 'foreign' && (name === 'p' || name === 'br')) return outside(within);
  if (innermost(within) === name) return parentOf(within);
  // What is open in between may keep it from being closed.
  return within.split(' ').includes(name) ? undefined : within;
}

/** Elements of HTML end what is foreign around them. */
function outside(within: string): string | undefined {
  let left = within;
  while (readingOf(left) === 'foreign') left = parentOf(left);
  return readingOf(left) === 'unsure' ? undefined : left;
}

function parentOf(within: string): string {
  return within.slice(0, Math.max(0, within.lastIndexOf(' ')));
}

const svgElements = new Set(['svg', 'foreignobject', 'desc', 'title']);
const mathElements = new Set(['math', 'annotation-xml', 'mi', 'mo', 'mn', 'ms', 'mtext']);
const integrationPoints = new Set(
  [...svgElements, ...mathElements].filter((name) => !['svg', 'math', 'annotation-xml'].includes(name)),
);

const breakouts = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
