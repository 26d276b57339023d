import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadRequest } from '../lib/load.ts';

/** What every contestant serves: one page, one file, one proxied answer. */

/** Where the templates are; partials are in `partials` below it. */
export const templates = join(import.meta.dirname, 'templates');

/** The directory behind `/assets`. */
export const assets = join(import.meta.dirname, 'public');

const tickets = Array.from({ length: 20 }, (_, i) => ({
  id: i + 1,
  subject: `The printer on floor ${i} says "no" & blinks`,
  urgent: i % 3 === 0,
  owner: i % 2 === 0 ? 'Ada' : 'Grace <g@example.com>',
}));

/** What the template `board` shows. */
export function board(): { readonly title: string; readonly tickets: typeof tickets } {
  return { title: 'Tickets & such', tickets };
}

/** What the upstream answers, 300 bytes of JSON. */
export const ticketText = JSON.stringify({
  id: 42,
  title: 'Printer down',
  text: 'It blinks twice and answers nobody since the update of last night.',
  email: 'ada@example.com',
  priority: 2,
  urgent: true,
  tags: ['printer', 'floor-2'],
  history: [
    { at: '2026-11-20T10:00:00Z', by: 'ada', did: 'opened' },
    { at: '2026-11-20T10:05:00Z', by: 'grace', did: 'assigned' },
  ],
});

/** The requests that are compared. */
export type CaseName = 'page' | 'file' | 'proxy';

/** What is sent, and what it must be answered with; a page is what the first contestant renders. */
export interface Case {
  readonly request: LoadRequest;
  readonly type: string;
  readonly answer?: string;
}

/** All of them. */
export const cases: Readonly<Record<CaseName, Case>> = {
  page: { request: { path: '/board' }, type: 'text/html' },
  file: {
    request: { path: '/assets/site.css' },
    type: 'text/css',
    answer: readFileSync(join(assets, 'site.css'), 'utf8'),
  },
  proxy: { request: { path: '/desk/tickets/42' }, type: 'application/json', answer: ticketText },
};
