import { createRouteTable } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toClient } from '../src/index.ts';
import { expectClean } from './expect-clean.ts';
import { richTable, route } from './rich-table.ts';

const rich = (): string => toClient(richTable(), { title: 'Rich' });

describe('toClient', () => {
  it('compiles under the strictest settings, is formatted, and its types hold', async () => {
    verifies('client.typed', 'client.one-package');
    await expectClean(rich(), usage);
  });

  it('takes what may be left out and is called as what every object has', async () => {
    const text = { type: 'string' };
    const table = createRouteTable([
      route('GET', '/drivers', {
        input: {
          type: 'object',
          properties: { constructor: text, toString: text, year: { type: 'integer' } },
        },
      }),
      route('GET', '/teams', { input: { type: 'object', properties: { constructor: text } } }),
    ]);
    await expectClean(toClient(table, { title: 'Odd' }), oddUsage);
  });

  it('writes a thousand routes within a second', () => {
    const ticket = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        lines: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    };
    const table = createRouteTable(
      Array.from({ length: 1_000 }, (_, i) =>
        route('POST', `/r${i}/{id}`, {
          input: { id: { type: 'integer' }, ticket },
          output: { 200: ticket, 404: ticket },
        }),
      ),
    );
    // Of the processor: others may have it meanwhile.
    const before = process.cpuUsage();
    expect(toClient(table, { title: 'Large' }).length).toBeGreaterThan(500_000);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});

const oddUsage = `
import { createClient } from './client.ts';

const client = createClient({ baseUrl: 'https://example.com' });
await client.getDrivers();
await client.getDrivers({});
await client.getDrivers({ year: 1950 });
await client.getDrivers({ constructor: 'ferrari' });
await client.getDrivers({ year: 1950, constructor: 'ferrari', toString: undefined });
await client.getTeams({});
await client.getTeams({ constructor: 'ferrari' });

export function wrong(): void {
  // @ts-expect-error it is a text
  void client.getDrivers({ constructor: 1 });
  // @ts-expect-error there is no such input
  void client.getDrivers({ yeer: 1950 });
}
`;

/** What users write, and what the compiler must not let them. */
const usage = `
import { createClient, type GetTicketsOutput, ProblemError, type Progress, type Ticket } from './client.ts';

const client = createClient({ baseUrl: 'https://example.com', token: async () => 'x' });
const summary: { readonly text: string } = await client.getTicketsByIdSummary({ id: 1, style: undefined, tags: ['a'] as const });
const tickets: GetTicketsOutput = await client.getTickets();
await client.getTickets({ assignee: 'ada', urgent: undefined });
await client.updateTicketsById({ id: 1, title: null });
await client.createContactsByOwner({ owner: 'ada', email: 'a@b.example', scores: { speed: 1, tone: 2 } });
const first: Ticket | undefined = tickets[0];
const state: 'open' | 'waiting' | "customer's turn" | null | undefined = first?.state;
const nothing: void = await client.deleteTicketsById({ id: 1 });
const bytes: Uint8Array = await client.getFilesByPath({ path: 'a/b' });
const csv: string = await client.getReportCsv({}, { signal: AbortSignal.timeout(1) });
const either: { readonly done: number } | { readonly run_id: string } | undefined = await client.replaceImport({ rows: tickets });
const seen: Progress[] = [];
const same: typeof either = await client.replaceImport({ rows: tickets }, { onProgress: (progress) => void seen.push(progress), timeoutMs: 1 });
const free: unknown = await client.freeForm({ anything: [1] });
await client.createTrees({ tree: { value: 'a', children: [{ value: 'b', children: [] }] }, point: [1, 2] });
await client.createDoorFrames({ body: new Uint8Array(1), contentType: 'image/png' });
const health: string = (await client.control.getSvcHealth()).status;
const united = await client.getUnion();
if (united?.kind === 'a') united.deep?.[0]?.[0]?.toString();
export const all = [seen[0]?.event, seen[0]?.data, same, summary, state, nothing, bytes, csv, either, free, health, ProblemError];

export function wrong(): void {
  // @ts-expect-error the id is needed
  void client.getTicketsByIdSummary({});
  // @ts-expect-error the whole argument is needed
  void client.getTicketsByIdSummary();
  // @ts-expect-error an id is a number
  void client.getTicketsByIdSummary({ id: '1' });
  // @ts-expect-error there is no such input
  void client.getTickets({ limmit: 1 });
  // @ts-expect-error no text of a query is null
  void client.getTickets({ assignee: null });
  // @ts-expect-error a score of each name is needed
  void client.createContactsByOwner({ owner: 'ada', email: 'a@b.example', scores: { speed: 1 } });
  // @ts-expect-error a score is a number
  void client.createContactsByOwner({ owner: 'ada', email: 'a@b.example', scores: { speed: 1, tone: 'x' } });
  // @ts-expect-error there is no such score
  void client.createContactsByOwner({ owner: 'ada', email: 'a@b.example', scores: { speed: 1, tone: 2, looks: 3 } });
  // @ts-expect-error a point has two numbers
  void client.createTrees({ tree: { value: 'a', children: [] }, point: [1] });
  // @ts-expect-error takes nothing
  void client.getReportCsv({ a: 1 });
  // @ts-expect-error results are read-only
  if (first) first.title = 'x';
  // @ts-expect-error reports no progress
  void client.getTickets({}, { onProgress: () => {} });
  // @ts-expect-error there is no such operation
  void client.getPage();
}
`;
