import type { Api } from '../model/api.ts';
import { el } from './dom.ts';
import { methodBadge } from './method-badge.ts';
import { operationHref } from './operation-href.ts';
import { inline, prose } from './prose.ts';

/** What there is, before anybody chose an operation. */
export function overview(api: Api, root: string): HTMLElement {
  const { title, version, description, groups, mcp, omitted } = api;
  return el(
    'article',
    { class: 'overview' },
    el('h1', { tabindex: -1 }, title, ' ', version !== '' && el('span', { class: 'version' }, version)),
    description !== '' && prose(description),
    el(
      'dl',
      { class: 'facts' },
      ...fact('Address', el('code', {}, root)),
      ...fact('Credentials', schemeWords(api)),
      ...(mcp === undefined ? [] : fact('MCP', el('code', {}, root + mcp))),
      ...fact('Document', el('a', { href: 'openapi.json' }, 'openapi.json')),
      ...(omitted.length === 0 ? [] : fact('Not described', omitted.join(', '))),
    ),
    ...groups.map((group) =>
      el(
        'section',
        { class: 'group' },
        el('h2', {}, group.name),
        group.description !== '' && el('p', { class: 'soft' }, ...inline(group.description)),
        el(
          'ul',
          { class: 'rows' },
          ...group.operations.map((one) =>
            el(
              'li',
              {},
              el(
                'a',
                { href: operationHref(one), class: 'row' },
                methodBadge(one.method),
                el('code', {}, one.path),
                el('span', { class: 'soft' }, one.summary),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function fact(name: string, value: Node | string): readonly HTMLElement[] {
  return [el('dt', {}, name), el('dd', {}, value)];
}

function schemeWords({ schemes }: Api): string {
  const words = schemes.map((one) => (one === 'apiKey' ? 'a key in x-api-key' : 'a bearer token'));
  return words.length === 0 ? 'none asked: this machine alone is let in' : words.join(', or ');
}
