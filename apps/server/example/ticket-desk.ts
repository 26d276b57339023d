import { type Static, Type } from '@waymark/server';

/** A support ticket, as clients see it. */
export const Ticket = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    body: Type.String(),
    status: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
    urgent: Type.Boolean(),
  },
  { title: 'Ticket' },
);

/** A support ticket. */
export type Ticket = Static<typeof Ticket>;

/** The most tickets the demo keeps. */
const maxTickets = 1000;

/** The demo's tickets, in memory. */
export class TicketDesk {
  readonly #tickets = new Map<number, Ticket>();
  #lastId = 0;

  constructor() {
    this.open('Printer on fire', 'It started after the update. There is smoke.', true);
    this.open('Password forgotten', 'I am locked out of the portal since this morning.', false);
    const { id } = this.open('Invoice shows twice', 'March was billed twice. Please refund one.', false);
    this.close(id);
  }

  open(title: string, body: string, urgent: boolean): Ticket {
    this.#lastId += 1;
    const ticket: Ticket = { id: this.#lastId, title, body, status: 'open', urgent };
    this.#tickets.set(ticket.id, ticket);
    return ticket;
  }

  get isFull(): boolean {
    return this.#tickets.size >= maxTickets;
  }

  find(id: number): Ticket | undefined {
    return this.#tickets.get(id);
  }

  list(status: Ticket['status'] | undefined, limit = maxTickets): readonly Ticket[] {
    return [...this.#tickets.values()]
      .filter((ticket) => status === undefined || ticket.status === status)
      .slice(0, limit);
  }

  close(id: number): Ticket | undefined {
    const ticket = this.#tickets.get(id);
    if (!ticket) return undefined;
    const closed: Ticket = { ...ticket, status: 'closed' };
    this.#tickets.set(id, closed);
    return closed;
  }

  /** Deletes closed tickets. @returns how many */
  purge(): number {
    const closed = this.list('closed');
    for (const { id } of closed) this.#tickets.delete(id);
    return closed.length;
  }
}
