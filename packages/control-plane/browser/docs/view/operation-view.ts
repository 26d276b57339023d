import type { Answer, Api, Content, Operation, Parameter } from '../model/api.ts';
import { CallPanel } from './call-panel.ts';
import { jsonBlock } from './code-block.ts';
import { el, unfolding } from './dom.ts';
import { methodBadge } from './method-badge.ts';
import { inline, prose } from './prose.ts';
import { schemaView, typeLine } from './schema-view.ts';
import type { Surroundings } from './surroundings.ts';

/** One operation: what it does, takes and answers, and a form that calls it. */
export class OperationView {
  readonly element: HTMLElement;
  readonly #panel: CallPanel;

  constructor(operation: Operation, around: Surroundings) {
    const { method, path, summary, description, deprecated } = operation;
    this.#panel = new CallPanel(operation, around);
    this.element = el(
      'article',
      { class: 'operation' },
      el('p', { class: 'back' }, el('a', { href: '#/' }, 'All operations')),
      el('h1', { tabindex: -1 }, summary || `${method} ${path}`),
      el('p', { class: 'address' }, methodBadge(method), el('code', {}, path)),
      badges(operation),
      deprecated && el('p', { class: 'wrong' }, 'Deprecated: another operation should be used.'),
      description !== '' && prose(description),
      el(
        'div',
        { class: 'columns' },
        el('div', { class: 'described' }, takes(operation, around), answers(operation, around)),
        this.#panel.element,
      ),
    );
  }

  /** Ends what is under way. */
  leave(): void {
    this.#panel.leave();
  }
}

function badges({ facts, access }: Operation): HTMLElement {
  const { tool, approval, readOnly, destructive, progress, timeoutMs } = facts;
  const words: readonly (readonly [boolean, string, string])[] = [
    [tool, 'tool', 'Agents and MCP clients can use it.'],
    [approval, 'asks a human', 'When an agent uses it, a human approves each call first.'],
    [readOnly, 'read only', 'It changes nothing.'],
    [destructive, 'destructive', 'What it changes cannot be brought back.'],
    [progress, 'reports progress', 'It tells what happens while it works, as events.'],
    [timeoutMs !== undefined, `up to ${(timeoutMs ?? 0) / 1000} s`, 'Then it is answered 504.'],
  ];
  return el(
    'ul',
    { class: 'badges', 'aria-label': 'Facts' },
    access.open
      ? el('li', { 'data-kind': 'open' }, 'open to anybody')
      : el('li', { 'data-kind': 'scope' }, 'needs ', ...scopes(access.scopes)),
    ...words.flatMap(([holds, text, title]) => (holds ? [el('li', { title, 'data-kind': text }, text)] : [])),
  );
}

function scopes(names: readonly string[]): readonly (Node | string)[] {
  if (names.length === 0) return ['a credential'];
  return names.flatMap((name, i) => [...(i > 0 ? [' and '] : []), el('code', {}, name)]);
}

function takes({ parameters, body }: Operation, { api }: Surroundings): HTMLElement | undefined {
  if (parameters.length === 0 && !body) return undefined;
  return el(
    'section',
    { class: 'takes' },
    el('h2', {}, 'Takes'),
    ...(['path', 'query', 'header'] as const).flatMap((place) => {
      const those = parameters.filter((one) => one.place === place);
      return those.length === 0 ? [] : [parameterList(placeTitles[place], those, api)];
    }),
    body &&
      el(
        'h3',
        {},
        'Body ',
        el('span', { class: 'soft' }, `${body.mediaType}${body.required ? '' : ', may be left out'}`),
      ),
    body &&
      (body.schema === undefined
        ? el('p', { class: 'soft' }, 'Bytes.')
        : schemaView(body.schema, api.references, 'required')),
  );
}

const placeTitles = { path: 'In the path', query: 'In the query', header: 'Headers' } as const;

function parameterList(title: string, parameters: readonly Parameter[], { references }: Api): HTMLElement {
  return el(
    'div',
    {},
    el('h3', {}, title),
    el(
      'ul',
      { class: 'members' },
      ...parameters.map(({ name, required, deprecated, description, schema }) =>
        el(
          'li',
          { class: 'member' },
          el('code', { class: 'name' }, name),
          required && el('span', { class: 'required' }, 'required'),
          deprecated && el('span', { class: 'limit' }, 'deprecated'),
          typeLine(schema, references),
          description !== '' && el('span', { class: 'about' }, ...inline(description)),
        ),
      ),
    ),
  );
}

function answers({ responses }: Operation, around: Surroundings): HTMLElement {
  const [good, bad] = [responses.filter(isSuccess), responses.filter((one) => !isSuccess(one))];
  return el(
    'section',
    { class: 'answers' },
    el('h2', {}, 'Answers'),
    ...good.map((one) => answerView(one, around, true)),
    ...(bad.length === 0
      ? []
      : [
          unfolding([`${bad.length} errors`], () => bad.map((one) => answerView(one, around, false)), {
            class: 'errors',
          }),
        ]),
  );
}

function isSuccess({ status }: Answer): boolean {
  return /^[23]/.test(status);
}

function answerView(
  { status, description, headers, contents }: Answer,
  around: Surroundings,
  open: boolean,
): HTMLElement {
  const line = [
    el('span', { class: 'status', 'data-status': status.slice(0, 1) }, status),
    ' ',
    ...inline(description),
  ];
  if (headers.length === 0 && contents.length === 0) return el('div', { class: 'answer' }, ...line);
  return unfolding(
    line,
    () => [
      ...contents.map((one) => contentView(one, around)),
      headers.length > 0 &&
        el(
          'ul',
          { class: 'members' },
          ...headers.map(({ name, description: about }) =>
            el(
              'li',
              { class: 'member' },
              el('code', { class: 'name' }, name),
              el('span', { class: 'limit' }, 'header'),
              el('span', { class: 'about' }, ...inline(about)),
            ),
          ),
        ),
    ],
    { open, class: 'answer' },
  );
}

function contentView({ mediaType, schema, example }: Content, { api }: Surroundings): HTMLElement {
  return el(
    'div',
    { class: 'content' },
    el('p', { class: 'soft' }, mediaType),
    schema === undefined ? undefined : schemaView(schema, api.references, 'optional'),
    example === undefined
      ? undefined
      : unfolding(['Example'], () => [jsonBlock(JSON.stringify(example), 'Example')]),
  );
}
