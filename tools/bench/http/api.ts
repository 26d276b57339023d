import { Type } from '@waymark/contract';
import { Compile } from 'typebox/compile';
import type { LoadRequest } from '../lib/load.ts';

/** The API that every contestant serves: its schemas and its answers. What differs is how a request gets there. */

/** `GET /static`: a constant. */
export const constant = { name: 'tickets', version: '1.4.2', status: 'ready', region: 'eu-central' };

/** `GET /tickets/{id}/summary?max=…`: a typed path parameter and a typed query parameter. */
export const summaryInput = {
  id: Type.Integer({ minimum: 1 }),
  max: Type.Integer({ minimum: 1, maximum: 200 }),
};

export interface SummaryInput {
  readonly id: number;
  readonly max: number;
}

const text = 'The printer on the second floor answers nobody since the update of last night.';

export function summary({ id, max }: SummaryInput): object {
  return { id, summary: text.slice(0, max), words: 13 };
}

/** `POST /tickets`: a body of six members, and 201. */
export const ticketInput = {
  title: Type.String({ minLength: 1, maxLength: 120 }),
  text: Type.String({ maxLength: 2000 }),
  email: Type.String({ pattern: '^[^@ ]+@[^@ ]+$' }),
  priority: Type.Integer({ minimum: 1, maximum: 5 }),
  urgent: Type.Boolean(),
  tags: Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 }),
};

export interface Ticket {
  readonly title: string;
  readonly text: string;
  readonly email: string;
  readonly priority: number;
  readonly urgent: boolean;
  readonly tags: readonly string[];
}

export function create({ title, email, priority, tags }: Ticket): object {
  return { id: 4711, title, email, priority, tags, state: 'open' };
}

/** `GET /books`: twenty rows. */
export function books(): object {
  return rows;
}

const rows = Array.from({ length: 20 }, (_, i) => ({
  id: i + 1,
  title: `The ${i + 1}th voyage`,
  author: 'S. Lem',
  year: 1957 + i,
  available: i % 3 > 0,
}));

/** The compiled checks, for contestants that have no validation of their own. */
export const isSummaryInput = compile(summaryInput);
export const isTicket = compile(ticketInput);

function compile(properties: Parameters<typeof Type.Object>[0]): (value: unknown) => boolean {
  const validator = Compile(Type.Object(properties, { additionalProperties: false }));
  return (value) => validator.Check(value);
}

/** A whole number in a path or query, as the product reads one: `007`, `1e1` and `0x10` are none. */
export function toInteger(value: unknown): unknown {
  return typeof value === 'string' && /^-?(?:0|[1-9]\d*)$/.test(value) ? Number(value) : value;
}

const ticket: Ticket = {
  title: 'Printer down',
  text: 'It blinks twice and answers nobody.',
  email: 'ada@example.com',
  priority: 2,
  urgent: true,
  tags: ['printer', 'floor-2'],
};

/** The requests that are compared. */
export type CaseName = 'static' | 'summary' | 'create' | 'books';

/** What is sent, and what every contestant must answer. */
export interface Case {
  readonly request: LoadRequest;
  readonly status: number;
  readonly answer: string;
}

/** All of them. */
export const cases: Readonly<Record<CaseName, Case>> = {
  static: { request: { path: '/static' }, status: 200, answer: JSON.stringify(constant) },
  summary: {
    request: { path: '/tickets/42/summary?max=40' },
    status: 200,
    answer: JSON.stringify(summary({ id: 42, max: 40 })),
  },
  create: {
    request: {
      method: 'POST',
      path: '/tickets',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ticket),
    },
    status: 201,
    answer: JSON.stringify(create(ticket)),
  },
  books: { request: { path: '/books' }, status: 200, answer: JSON.stringify(rows) },
};
