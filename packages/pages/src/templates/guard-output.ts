import { isHttpEquiv, isImageList, isRefresh, isUrl, loadsScripts } from './attributes.ts';
import { innermost } from './foreign-content.ts';
import { advance, behindData, inText, join, type Markup, same } from './markup.ts';
import { faultAt, type TemplateFault } from './template-fault.ts';

/** What makes a value safe in its place, besides being escaped. Templates cannot name these: no helper has a space. */
export const guards = {
  url: 'a url',
  image: 'an image',
  imagePart: 'an image part',
  style: 'a style',
  json: 'a json',
} as const;

/**
 * Follows the markup of a template, and has each value made safe for the place where it stands. Changes the tree.
 *
 * Escaping alone keeps data data in text and in quoted attributes. In addresses, styles and JSON it takes more, which
 * is put in here; in scripts, and wherever markup would depend on data, nothing would be enough.
 */
export function guardOutput(tree: hbs.AST.Program, partials: Partials): readonly TemplateFault[] {
  const { faults, end } = walkThrough(tree, inText, partials);
  const last = tree.body.at(-1);
  return last && !same(end, inText)
    ? [...faults, unclosed({ ...last, loc: { ...last.loc, start: last.loc.end } }, end)]
    : faults;
}

/** What is known of the partials of a directory. */
export interface Partials {
  /** Those that are files, by name, before anything was put into them. */
  readonly files: ReadonlyMap<string, hbs.AST.Program>;
  /** Whether one is read alike, by its name and what it stands in: each is looked at once. */
  readonly alike: Map<string, boolean>;
}

interface Walk {
  (program: hbs.AST.Program | undefined, from: Markup): Markup;
  readonly partials: Partials;
}

function walkThrough(
  tree: hbs.AST.Program,
  from: Markup,
  partials: Partials,
): { readonly faults: readonly TemplateFault[]; readonly end: Markup } {
  const faults: TemplateFault[] = [];
  const walk: Walk = Object.assign(
    (program: hbs.AST.Program | undefined, start: Markup): Markup =>
      (program?.body ?? []).reduce((state, node) => {
        const { fault, next } = read(node, state, walk);
        if (fault) faults.push(fault);
        return next;
      }, start),
    { partials },
  );
  return { end: walk(tree, from), faults };
}

interface Reading {
  readonly next: Markup;
  readonly fault?: TemplateFault | undefined;
}

function read(node: hbs.AST.Statement, state: Markup, walk: Walk): Reading {
  switch (node.type) {
    case 'ContentStatement':
      return content(node as hbs.AST.ContentStatement, state);
    case 'MustacheStatement':
      return { next: behindData(state), fault: place(node as hbs.AST.MustacheStatement, state) };
    case 'BlockStatement':
      return block(node as hbs.AST.BlockStatement, state, walk);
    case 'PartialStatement':
    case 'PartialBlockStatement':
    case 'DecoratorBlock':
      return part(node as hbs.AST.PartialBlockStatement, state, walk);
    default:
      return { next: state };
  }
}

function content(node: hbs.AST.ContentStatement, state: Markup): Reading {
  const next = advance(state, node.value);
  if (next.at !== 'lost') return { next };
  if (next.element !== '')
    return {
      next: inText,
      fault: faultAt(
        node,
        'template-markup',
        `<${next.element}> in <svg> or <math> may be read in two ways`,
        {
          fix: 'close what is open before it, or take it out',
        },
      ),
    };
  const rule = 'what this text means depends on what is shown before it';
  const fix =
    'put whole attributes into {{#if}}, the scheme of an address into its data, and http-equiv before content';
  return { next: inText, fault: faultAt(node, 'template-markup', rule, { fix }) };
}

function block(node: hbs.AST.BlockStatement, state: Markup, walk: Walk): Reading {
  const { path, params, program, inverse } = node;
  // A section without arguments repeats its content for each item of a list.
  const repeats = program !== undefined && (path.original === 'each' || params.length === 0);
  const shown = program ? walk(program, state) : state;
  const otherwise = inverse ? walk(inverse, state) : state;
  const next = repeats && !same(shown, state) ? undefined : join(shown, otherwise);
  if (next) return { next };
  const rule = `{{#${path.original}}} ends in another place of the markup than ${repeats ? 'it began' : 'without it'}`;
  const fix = 'let it hold whole elements, whole attributes, or text';
  return { next: shown, fault: faultAt(node, 'template-markup', rule, { fix }) };
}

/** A partial begins and ends between tags, wherever it is used, and means the same there. */
function part(node: hbs.AST.PartialBlockStatement, state: Markup, walk: Walk): Reading {
  const end = walk(node.program, inText);
  if (node.program && !same(end, inText)) return { next: state, fault: unclosed(node, end) };
  if (node.type === ('DecoratorBlock' as string)) return { next: state };
  if (state.at === 'text' && isReadAlike(node, state, walk.partials)) return { next: state };
  const rule = `a partial stands ${nameOf(state)}`;
  const fix =
    state.at === 'text'
      ? 'write its markup out: there it is not read as HTML, and only a file without <title> and the like can tell'
      : 'put it between tags, and hand it what it needs: {{> name title="…"}}';
  return { next: state, fault: faultAt(node, 'template-place', rule, { fix }) };
}

/** What is put into a partial is put in once: in SVG its markup must be what it is in HTML. */
function isReadAlike({ name }: hbs.AST.PartialBlockStatement, state: Markup, partials: Partials): boolean {
  if (state.within === '') return true;
  const key = 'original' in name ? String(name.original) : '';
  const program = partials.files.get(key);
  if (!program) return false;
  const place = `${key} in ${state.within}`;
  const known = partials.alike.get(place);
  if (known !== undefined) return known;
  // One that shows itself ends there.
  const files = new Map(partials.files).set(key, { ...program, body: [] });
  const [html, here] = [inText, state].map((from) => {
    const tree = structuredClone(program);
    const { faults, end } = walkThrough(tree, from, { ...partials, files });
    return JSON.stringify([tree, faults, same(end, from)]);
  });
  partials.alike.set(place, html === here);
  return html === here;
}

function unclosed(node: hbs.AST.Node, end: Markup): TemplateFault {
  const fix = 'close it, and put a value in quotes on both sides';
  return faultAt(node, 'template-markup', `it ends ${nameOf(end)}`, { fix });
}

/** What it takes to put a value here; adds it to the node. */
function place(node: hbs.AST.MustacheStatement, state: Markup): TemplateFault | undefined {
  // Whoever asks for it unescaped is warned of that alone.
  if (!node.escaped) return undefined;
  const verdict = judge(state);
  if (verdict === 'safe') return undefined;
  if (typeof verdict === 'object')
    return faultAt(node, 'template-place', `data stands ${nameOf(state)}`, verdict);
  // JSON would be no JSON any more with its quotes escaped, and its own escapes leave nothing to escape.
  if (verdict === 'json') node.escaped = false;
  const { loc, path, params, hash } = node;
  const called = params.length > 0 || hash !== undefined;
  const value = called ? { type: 'SubExpression', loc, path, params, hash } : path;
  const name = guards[verdict];
  // Only the parser makes hashes; a call without one has none.
  Object.assign(node, {
    path: { type: 'PathExpression', loc, data: false, depth: 0, parts: [name], original: name },
    params: [value],
    hash: undefined,
  });
  return undefined;
}

type Verdict = 'safe' | keyof typeof guards | { readonly fix: string };

function judge(state: Markup): Verdict {
  if (state.at === 'text') return judgeText(state);
  if (state.at === 'cdata') return { fix: 'put it behind the end of it, "]]>"' };
  if (state.at === 'raw') return judgeContent(state);
  if (state.at === 'value' && state.quote !== '') return judgeValue(state);
  if (state.at === 'value' || state.at === 'start') return { fix: 'put the value in quotes' };
  if (state.at === 'comment') return { fix: 'write {{!-- … --}}: what is in an HTML comment is sent' };
  return { fix: 'write the name out, in {{#if}} where it depends on something' };
}

function judgeText({ within }: Markup): Verdict {
  const inner = innermost(within);
  return inner === 'script' || inner === 'style' ? refuseIn(inner) : 'safe';
}

const inData = 'put it into an attribute, data-name="{{…}}", or into <script type="application/json">';

function judgeContent({ element, read, type }: Markup): Verdict {
  if (read !== '') return { fix: 'write something between "<" and the data' };
  if (element === 'title' || element === 'textarea') return 'safe';
  if (element === 'script' && /^application\/(?:[\w.-]+\+)?json$/.test(type)) return 'json';
  return refuseIn(element);
}

function refuseIn(element: string): Verdict {
  return { fix: element === 'style' ? 'choose a class, or use the attribute style="…"' : inData };
}

function judgeValue(state: Markup): Verdict {
  const { element, attribute, scheme } = state;
  if (attribute.startsWith('on') || attribute === 'srcdoc') return { fix: inData };
  // They write into other attributes, addresses among them.
  if (animations.has(element) && animated.has(attribute)) return { fix: 'write the value out' };
  if (isHttpEquiv(state)) return { fix: 'write the value out' };
  if (attribute === 'style') return 'style';
  if (!isUrl(state)) return 'safe';
  if (scheme === 'script') return { fix: inData };
  if (isRefresh(state) && scheme === 'none') return { fix: 'write out the seconds and url=: "5; url={{…}}"' };
  if (isImageList(state)) return judgeImage(scheme);
  if (loadsScripts(state) && scheme !== 'fixed')
    return { fix: 'write out the host and the beginning of the path' };
  return scheme === 'fixed' ? 'safe' : 'url';
}

/** White space or a comma in data would begin another address; behind an address there is a width or density. */
function judgeImage(scheme: Markup['scheme']): Verdict {
  if (scheme === 'none') return 'style';
  return scheme === 'fixed' ? 'imagePart' : 'image';
}

const animations = new Set(['animate', 'animatecolor', 'animatemotion', 'animatetransform', 'set']);
const animated = new Set(['attributename', 'by', 'from', 'to', 'values']);

/** The place in words: `in a script`. */
function nameOf({ at, element, attribute, within }: Markup): string {
  switch (at) {
    case 'raw':
      return `in <${element}>`;
    case 'value':
    case 'start':
      return `in the attribute ${attribute}`;
    case 'comment':
      return 'in an HTML comment';
    case 'cdata':
      return 'in a CDATA section';
    case 'text':
      return within === '' ? 'in text' : `in <${innermost(within)}>`;
    default:
      return 'in a tag';
  }
}
