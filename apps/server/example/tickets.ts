import { type Static, Type } from '@waymark/server';

/** The columns of a ticket, besides its id. */
export const ticketFields = {
  title: Type.String({ minLength: 1, maxLength: 200 }),
  body: Type.String({ default: '', maxLength: 10_000 }),
  status: Type.Union([Type.Literal('open'), Type.Literal('closed')], { default: 'open' }),
  urgent: Type.Boolean({ default: false }),
  /** The id of who sent it. */
  customer: Type.Optional(Type.Integer()),
};

/** A row of the table as SQL gives it: truth is a number. */
export type TicketRow = {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  readonly status: 'open' | 'closed';
  readonly urgent: 0 | 1;
  readonly customer: number | null;
};

/** The columns of a customer, besides its id. */
export const customerFields = { name: Type.String({ minLength: 1 }), plan: Type.String() };

/** An open ticket with the name of its customer. */
export const openTicketFields = {
  id: Type.Integer(),
  title: Type.String(),
  urgent: Type.Boolean(),
  customer: Type.Union([Type.String(), Type.Null()]),
};

/** One of them. */
export type OpenTicket = {
  readonly id: number;
  readonly title: string;
  readonly urgent: boolean;
  readonly customer: string | null;
};

/** A digest of the open tickets. */
export const Digest = Type.Object(
  { open: Type.Integer(), urgent: Type.Integer(), lines: Type.Array(Type.String()) },
  { title: 'Digest' },
);

/** A digest of the open tickets. */
export type Digest = Static<typeof Digest>;
