// Lets nested runs wait for a human, and takes long ones up again: `parked.ts <folder>`.
import { join } from 'node:path';
import { agent, behaviour, createAgents } from '@waymark/agents';
import { Type } from '@waymark/contract';
import { createFlows, flow } from '@waymark/flows';
import { approvalOf } from '../agents/approval-of.ts';
import { serveParent } from '../agents/child.ts';
import { closeTicket } from '../agents/contestants/close-ticket.ts';
import { instantModel } from '../agents/contestants/instant-model.ts';
import { caller, type Desk, openDesk } from '../agents/contestants/open-desk.ts';
import { diskBytes } from '../agents/disk-bytes.ts';
import { median } from '../agents/median.ts';
import { input } from '../agents/question.ts';
import type { Parked } from './parked-goals.ts';

const [, , folder = ''] = process.argv;
const runs = 2_000;
const scopes = ['tickets:read', 'tickets:write'];
const id = Type.Integer();

/** The last step asks a human; the others read. */
const steps = behaviour(
  'steps',
  { tools: ['get_ticket', 'close_ticket'], scopes, maxSteps: 1_000, input: { count: Type.Integer() } },
  async (ctx, { count }) => {
    for (let i = 1; i < count; i++) await ctx.call('get_ticket', { id: i });
    return ctx.call('close_ticket', { id: count });
  },
);

/** The agent calls the flow, which reads a ticket and calls the behaviour, which asks a human. */
const nested = [
  createAgents([
    agent('front', { tools: ['desk'], scopes }),
    behaviour('handle', { tools: ['close_ticket'], scopes }, (ctx) => ctx.call('close_ticket', { id: 4 })),
    steps,
  ]),
  createFlows([
    flow('desk', {
      pipeline: [{ tool: 'get_ticket', input: { id: '$input.id' } }, 'handle'],
      ...{ scopes, inputSchema: { id } },
    }),
  ]),
];

const waiting = await letWait();
const desk = await open('long');
const resume50Ms = await resumeAfter(desk, 50);
const resume1000Ms = await resumeAfter(desk, 1_000);
serveParent<Parked>({ runs, ...waiting, resume50Ms, resume1000Ms }, () =>
  Promise.reject(new Error('it is all said')),
);

function open(name: string): Promise<Desk> {
  return openDesk(join(folder, `${name}.db`), {
    ...{ synchronous: 'normal', models: instantModel('desk') },
    ...{ plugins: nested, routes: [closeTicket] },
  });
}

async function letWait(): Promise<Pick<Parked, 'nestedBytes' | 'auditBytes'>> {
  const { call, database } = await open('nested');
  for (let i = 0; i < runs; i += 50)
    await Promise.all(Array.from({ length: 50 }, () => call('front', { input }).then(approvalOf)));
  const bytes = await diskBytes(database);
  await database.close();
  return { nestedBytes: bytes.runs / runs, auditBytes: bytes.audit / runs };
}

/** From the decision to the end, milliseconds: the median of the best of five rounds. */
async function resumeAfter({ call, runner }: Desk, count: number): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const times: number[] = [];
    for (let i = 0; i < 7; i++) {
      const approval = approvalOf(await call('steps', { count }));
      const start = performance.now();
      const { status } = await runner.decide(approval, { approve: true, note: '', by: caller });
      times.push(performance.now() - start);
      if (status !== 200) throw new Error(`the run ended with ${status}`);
    }
    rounds.push(median(times));
  }
  return Math.min(...rounds);
}
