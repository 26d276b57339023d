// Lets runs wait for a human and takes them up again: `parked.ts <folder>`.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAgents } from '@waymark/agents';
import { approvalOf } from './approval-of.ts';
import { serveParent } from './child.ts';
import { closeTicket } from './contestants/close-ticket.ts';
import { instantModel } from './contestants/instant-model.ts';
import { caller, clerk, type Desk, openDesk } from './contestants/open-desk.ts';
import { diskBytes } from './disk-bytes.ts';
import { heapUsed } from './heap-used.ts';
import { median } from './median.ts';
import type { Parked } from './parked-goals.ts';
import { input } from './question.ts';

const [, , folder = ''] = process.argv;
const runs = 10_000;

const full = await timeOn('full');
const normal = await timeOn('normal');
const waiting = await letWait();
serveParent<Parked>(
  {
    ...{ suspendMs: normal.suspendMs, resumeMs: normal.resumeMs },
    ...{ suspendFullMs: full.suspendMs, resumeFullMs: full.resumeMs },
    ...{ runs, ...waiting },
  },
  () => Promise.reject(new Error('it is all said')),
);

function open(name: string, synchronous: 'full' | 'normal'): Promise<Desk> {
  return openDesk(join(folder, `${name}.db`), {
    synchronous,
    models: instantModel('close_ticket'),
    routes: [closeTicket],
    plugins: [createAgents([clerk(['close_ticket'])])],
  });
}

/** Medians of the best of many rounds, one run after another. */
async function timeOn(
  synchronous: 'full' | 'normal',
): Promise<{ readonly suspendMs: number; readonly resumeMs: number }> {
  const desk = await open(`parked-${synchronous}`, synchronous);
  const rounds: { readonly suspendMs: number; readonly resumeMs: number }[] = [];
  for (let round = 0; round < 20; round++) {
    const suspends: number[] = [];
    const resumes: number[] = [];
    for (let i = 0; i < 50; i++) {
      const start = performance.now();
      const id = approvalOf(await desk.call('clerk', { input }));
      const asked = performance.now();
      const { status } = await desk.runner.decide(id, { approve: true, note: '', by: caller });
      suspends.push(asked - start);
      resumes.push(performance.now() - asked);
      if (status !== 200) throw new Error(`the run ended with ${status}`);
    }
    rounds.push({ suspendMs: median(suspends), resumeMs: median(resumes) });
  }
  await desk.close();
  return {
    suspendMs: Math.min(...rounds.map(({ suspendMs }) => suspendMs)),
    resumeMs: Math.min(...rounds.map(({ resumeMs }) => resumeMs)),
  };
}

async function letWait(): Promise<Pick<Parked, 'diskBytes' | 'auditBytes' | 'heapBytes' | 'idleMs'>> {
  const desk = await open('waiting', 'normal');
  const wait = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 50)
      await Promise.all(Array.from({ length: 50 }, () => desk.call('clerk', { input }).then(approvalOf)));
  };
  // Caches are filled first: they are not the runs'.
  const before = 500;
  await wait(before);
  const heapBefore = await heapUsed();
  await wait(runs);
  const heapAfter = await heapUsed();
  const idleMs = await idle();
  const bytes = await diskBytes(desk.database);
  await desk.close();
  const all = runs + before;
  return {
    diskBytes: bytes.runs / all,
    auditBytes: bytes.audit / all,
    heapBytes: heapAfter - heapBefore,
    idleMs,
  };
}

/** CPU time of a second in which nothing happens but what happens by the clock: the best of several. */
async function idle(): Promise<number> {
  const seconds = 3;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 4; round++) {
    const before = process.cpuUsage();
    await sleep(seconds * 1_000);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000 / seconds);
  }
  return least;
}
