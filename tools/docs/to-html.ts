import { Marked, type Tokens } from 'marked';
import { escapeHtml, highlight } from './highlight.ts';
import { type Links, relativeTo } from './links.ts';
import type { Page } from './page.ts';
import { plain } from './page.ts';

/** A heading of a page, and where links find it. */
export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly id: string;
}

/** A page as HTML, without what stands around it. */
export interface Body {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Text by heading: what a search looks through. */
  readonly texts: readonly { readonly id: string; readonly heading: string; readonly text: string }[];
  /** Links within the documentation, as they are written: a test follows them. */
  readonly dead: readonly string[];
  /** Pictures that the page shows, relative to the root. */
  readonly assets: readonly string[];
}

/** Renders the Markdown of a page. */
export function toBody(page: Page, links: Links): Body {
  const ids = new Set<string>();
  const headings: Heading[] = [];
  const dead: string[] = [];
  const assets: string[] = [];
  const texts: { id: string; heading: string; text: string }[] = [];
  const hrefOf = (href: string): string => {
    const target = links.resolve(page, href);
    if (target.kind === 'elsewhere') return target.url;
    if (target.kind === 'asset') {
      assets.push(target.file);
      return relativeTo(page, target.file);
    }
    if (target.kind === 'dead') {
      dead.push(href);
      return '#';
    }
    const hash = target.fragment === '' ? '' : `#${target.fragment}`;
    return target.page === page ? hash || '#' : `${relativeTo(page, `${target.page.path}.html`)}${hash}`;
  };
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const text = plain(tokens.map(({ raw }) => raw).join(''));
        const id = idOf(text, ids);
        headings.push({ depth, text, id });
        texts.push({ id, heading: text, text: '' });
        const inner = this.parser.parseInline(tokens);
        return depth === 1
          ? `<h1 id="${id}">${inner}</h1>\n`
          : `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        note(texts, text);
        const [language = '', ...words] = lang.split(' ');
        const name = words.find((word) => /[./]/.test(word) && !word.includes('='));
        const label = name === undefined ? '' : `<figcaption>${escapeHtml(name)}</figcaption>`;
        // Long lines scroll: whoever has no mouse must be able to reach them.
        return `<figure class="code">${label}<pre tabindex="0"><code>${highlight(text, language)}</code></pre></figure>\n`;
      },
      table(token) {
        const cell = (tag: string, one: Tokens.TableCell): string =>
          `<${tag}>${this.parser.parseInline(one.tokens)}</${tag}>`;
        // A column without a name: an empty header would be read out as one.
        const head = token.header.map((one) => cell(one.text === '' ? 'td' : 'th', one)).join('');
        const rows = token.rows.map((row) => `<tr>${row.map((one) => cell('td', one)).join('')}</tr>`);
        const hasHead = token.header.some(({ text }) => text !== '');
        note(texts, token.rows.flatMap((row) => row.map(({ text }) => plain(text))).join(' '));
        return `<div class="table" tabindex="0"><table>${hasHead ? `<thead><tr>${head}</tr></thead>` : ''}<tbody>${rows.join('')}</tbody></table></div>\n`;
      },
      link({ href, title, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const said = title ? ` title="${escapeHtml(title)}"` : '';
        return `<a href="${escapeHtml(hrefOf(href))}"${said}>${inner}</a>`;
      },
      image({ href, text }) {
        return `<img src="${escapeHtml(hrefOf(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      html({ text }) {
        return escapeHtml(text);
      },
    },
  });
  const tokens = marked.lexer(page.markdown);
  for (const token of tokens) if (token.type === 'space') token.raw = '';
  // Block by block, so that what a search finds belongs to the heading above it.
  const html = tokens
    .map((token) => {
      const part = marked.parser([token]);
      if (!['heading', 'code', 'table', 'space'].includes(token.type)) note(texts, plain(token.raw));
      return part;
    })
    .join('');
  return { html, headings, texts, dead, assets };
}

function note(texts: { text: string }[], text: string): void {
  const last = texts.at(-1);
  if (last) last.text += `${last.text === '' ? '' : ' '}${text.replaceAll(/\s+/g, ' ')}`;
}

/** An id as GitHub makes them, so that the links of the sources lead to the same place there and here. */
function idOf(text: string, taken: Set<string>): string {
  const base = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  let id = base;
  for (let i = 1; taken.has(id); i++) id = `${base}-${i}`;
  taken.add(id);
  return id;
}
