import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RouteTable } from '@waymark/contract';
import type { Dispatcher, Router } from '@waymark/contract/engine';
import { onTestFinished } from 'vitest';
import {
  createLink,
  OwnerCalls,
  type OwnerCallsOptions,
  serveCalls,
  type ToOwner,
  type ToWorker,
} from '../../src/forward/index.ts';
import { createDispatcher } from '../../src/index.ts';
import { createOwnerTable } from './owner-table.ts';

/** A worker and its owner, each with a table of its own, and a Unix socket between them. */
export interface Pair {
  readonly calls: OwnerCalls;
  readonly worker: Dispatcher & Router;
  readonly table: RouteTable;
  /** Starts an owner, and connects the worker to it. @returns what cuts it off */
  own(side?: string): Promise<() => void>;
}

/** Both ends of a connection over a Unix socket. */
export async function socketPair(): Promise<readonly [here: Socket, there: Socket]> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-pair-'));
  const server = createServer().listen(join(folder, 'owner.sock'));
  await once(server, 'listening');
  const here = connect(join(folder, 'owner.sock'));
  const [there] = (await once(server, 'connection')) as [Socket];
  onTestFinished(async () => {
    for (const socket of [here, there]) socket.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return [here, there];
}

export function createPair(options: OwnerCallsOptions = {}): Pair {
  const calls = new OwnerCalls(options);
  const table = createOwnerTable('worker');
  onTestFinished(() => calls.close());
  return {
    calls,
    table,
    worker: createDispatcher(table, {
      owner: { owns: ({ placement }) => placement === 'owner', dispatch: (call) => calls.dispatch(call) },
    }),
    async own(side = 'owner') {
      const [here, there] = await socketPair();
      const owned = createOwnerTable(side);
      serveCalls(createLink<ToWorker, ToOwner>(there), { table: owned, dispatcher: createDispatcher(owned) });
      calls.connect(createLink(here));
      return () => there.destroy();
    },
  };
}
