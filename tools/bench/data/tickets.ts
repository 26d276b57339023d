import { Type } from '@waymark/contract';
import { Compile } from 'typebox/compile';
import type { LoadRequest } from '../lib/load.ts';

/** The table that every contestant serves, its answers, and what is asked of it. What differs is who asks the database. */

/** One row as it is answered. */
export interface Ticket {
  readonly id: number;
  readonly title: string;
  readonly note: string | null;
  readonly priority: number;
  readonly urgent: boolean;
}

/** What a new row is made of. */
export type NewTicket = Omit<Ticket, 'id'>;

/** The table as Waymark declares it; the key comes by itself. */
export const ticketFields = {
  title: Type.String({ minLength: 1, maxLength: 120 }),
  note: Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()]),
  priority: Type.Integer({ minimum: 1, maximum: 5 }),
  urgent: Type.Boolean(),
};

/** Rows there are at the start. */
export const rowCount = 1_000;

export function ticketOf(id: number): Ticket {
  return { id, ...newTicketOf(id) };
}

function newTicketOf(id: number): NewTicket {
  return {
    title: `Printer ${id} on floor ${id % 12}`,
    note: id % 3 === 0 ? null : 'It blinks twice and answers nobody since the update of last night.',
    priority: (id % 5) + 1,
    urgent: id % 7 === 0,
  };
}

const newTicket = newTicketOf(4711);

/** The rows of a list. */
export const listLength = 20;

/** The requests that are compared. */
export type CaseName = 'get' | 'list' | 'insert';

/** Many of each, which are sent in turn. */
export const requests: Readonly<Record<CaseName, readonly LoadRequest[]>> = {
  get: Array.from({ length: 100 }, (_, i) => ({ path: `/tickets/${i * 10 + 1}` })),
  list: [{ path: `/tickets?limit=${listLength}` }],
  insert: [
    {
      method: 'POST',
      path: '/tickets',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(newTicket),
    },
  ],
};

/** What must come back. */
export const answers: Readonly<Record<CaseName, { readonly status: number; readonly value: unknown }>> = {
  get: { status: 200, value: ticketOf(1) },
  list: { status: 200, value: Array.from({ length: listLength }, (_, i) => ticketOf(i + 1)) },
  // The server says which key it gave.
  insert: { status: 201, value: newTicket },
};

/** The compiled check of a new row, for contestants without validation of their own. */
export const isNewTicket = ((): ((value: unknown) => boolean) => {
  const validator = Compile(Type.Object(ticketFields, { additionalProperties: false }));
  return (value) => validator.Check(value);
})();

/** A positive whole number in a path or query, as the product reads one; undefined for everything else. */
export function toCount(value: unknown): number | undefined {
  return typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined;
}
