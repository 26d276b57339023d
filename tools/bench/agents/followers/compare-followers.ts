import { join } from 'node:path';
import { serverCore } from '../../lib/cores.ts';
import type { Goal } from '../../lib/goals.ts';
import { type Child, startChild } from '../child.ts';
import { median } from '../median.ts';
import type { ModelServer } from '../model-server.ts';
import { Crowd } from './crowd.ts';
import { followedInput, followedKey } from './followed-run.ts';
import type { Used } from './told.ts';

const followers = 1_000;

/** `ready` and `run`, `step` approval_requested and what is before it, `waiting`: what a follower is told at first. */
const toldAtFirst = 5;

/** What one run took from the decision of its human on. */
interface Taken {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/**
 * What it costs that a thousand sockets follow one run: its steps, live, beside what `ws` alone takes to write the same
 * messages to as many; and the memory of one that waits.
 */
export async function compareFollowers(
  models: ModelServer,
  folder: string,
  rounds: number,
): Promise<readonly Goal[]> {
  const server = await start('followed-server.ts', [models.url, folder]);
  const writer = await start('socket-writer.ts', []);
  await followOne(server, 0);
  const alone: Taken[] = [];
  const followed: Taken[] = [];
  const writing: number[] = [];
  let texts: readonly string[] = [];
  let bytes = 0;
  let bareBytes = 0;
  for (let round = 0; round < rounds; round++) {
    alone.push((await followOne(server, 0)).taken);
    const crowd = await followOne(server, followers);
    followed.push(crowd.taken);
    texts = crowd.texts;
    bytes = crowd.bytesEach;
    const bare = await writeTo(writer, texts.slice(toldAtFirst));
    writing.push(bare.cpuMs);
    bareBytes = bare.bytesEach;
  }
  await server.stop();
  await writer.stop();
  const cpu = (all: readonly Taken[]): number => median(all.map(({ cpuMs }) => cpuMs));
  const wall = (all: readonly Taken[]): number => median(all.map(({ wallMs }) => wallMs));
  const added = cpu(followed) - cpu(alone);
  const write = median(writing);
  const shown = (ms: number): string => `${Math.round(ms)} ms`;
  console.log(
    `\n${followers} followers of a run of ${texts.length - toldAtFirst - 1} steps: ${shown(cpu(alone))} of CPU alone,`,
    `${shown(cpu(followed))} followed; ws alone writes the same in ${shown(write)};`,
    `to its end ${shown(wall(alone))} alone, ${shown(wall(followed))} followed`,
  );
  console.log(`one that waits holds ${Math.round(bytes)} bytes, a bare socket ${Math.round(bareBytes)}`);
  return [
    { name: 'agents-followers', measured: added / write, op: '<=', target: 1 },
    { name: 'agents-follower-memory', measured: bytes, op: '<=', target: 30_720, unit: 'bytes' },
  ];
}

function start(program: string, args: readonly string[]): Promise<Child<Used>> {
  return startChild<Used>(serverCore, join(import.meta.dirname, program), args);
}

async function followOne(server: Child<Used>, count: number) {
  const { url } = server.ready;
  const { run_id: runId, pending_approvals: pending = [] } = await ask(url, '/agents/clerk', {
    input: followedInput,
  });
  const crowd = new Crowd();
  const empty = await server.ask('look');
  await crowd.join(`${url}/agents/clerk`, count, JSON.stringify({ run_id: runId }));
  await crowd.until(count * toldAtFirst);
  const before = await server.ask('look');
  const startMs = performance.now();
  await ask(url, `/_svc/approvals/${pending[0]?.approval_id}`, { approve: true, note: '' });
  const { steps } = await ask(url, `/agents/clerk/runs/${runId}`);
  const wallMs = performance.now() - startMs;
  // All steps but the first two, and the result.
  await crowd.until(count * (toldAtFirst + steps.length - 2 + 1));
  const after = await server.ask('look');
  await crowd.leave();
  return {
    taken: { cpuMs: after.cpuMs - before.lookedCpuMs, wallMs },
    texts: crowd.texts,
    bytesEach: (before.bytes - empty.bytes) / count,
  };
}

async function writeTo(writer: Child<Used>, texts: readonly string[]) {
  const crowd = new Crowd();
  const empty = await writer.ask('look');
  await crowd.join(writer.ready.url, followers);
  const before = await writer.ask('look');
  const after = await writer.ask({ write: texts });
  await crowd.until(followers * texts.length);
  await crowd.leave();
  return { cpuMs: after.cpuMs - before.lookedCpuMs, bytesEach: (before.bytes - empty.bytes) / followers };
}

/** What of the answers is looked at here. */
interface Answer {
  readonly run_id: string;
  readonly steps: readonly object[];
  readonly pending_approvals?: readonly { readonly approval_id: string }[];
}

async function ask(url: string, path: string, body?: object): Promise<Answer> {
  const headers = { 'x-api-key': followedKey, 'content-type': 'application/json' };
  const response = await fetch(url + path, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} is answered with ${response.status}`);
  return (await response.json()) as Answer;
}
