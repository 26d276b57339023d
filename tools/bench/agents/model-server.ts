import { join } from 'node:path';
import { loadCore } from '../lib/cores.ts';
import { startChild } from './child.ts';
import type { Seen } from './simulator.ts';

/** The model server, in a process of its own beside whatever is measured. */
export interface ModelServer {
  readonly url: string;
  /** Makes sure that what is done is one run: two questions, and in the second what the tool gave. @throws {Error} */
  duringOneRun<T>(name: string, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Starts the simulator on the core of the load. */
export async function startModelServer(): Promise<ModelServer> {
  const { ready, ask, stop } = await startChild<Seen>(
    loadCore,
    join(import.meta.dirname, 'simulator.ts'),
    [],
  );
  return {
    url: ready.url,
    async duringOneRun(name, work) {
      await ask(null);
      const result = await work();
      const { requests, results } = await ask(null);
      // What the model says is scripted; that the tool was called shows in what it was told.
      if (requests !== 2 || results !== 1)
        throw new Error(`${name} asked the model ${requests} times, ${results} with the result of the tool`);
      return result;
    },
    stop,
  };
}
