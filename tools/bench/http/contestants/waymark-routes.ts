import { defineRoute, type Route, reply } from '@waymark/contract';
import { staticRoute } from '@waymark/core-routes';
import { books, constant, create, summary, summaryInput, ticketInput } from '../api.ts';

/** The API as Waymark declares it. */
export function waymarkRoutes(): readonly Route[] {
  return [
    staticRoute('GET', '/static', constant),
    defineRoute('GET', '/tickets/{id}/summary', { input: summaryInput }, summary),
    defineRoute('POST', '/tickets', { input: ticketInput }, (ticket) => reply(201, create(ticket))),
    defineRoute('GET', '/books', {}, books),
  ];
}
