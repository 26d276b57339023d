import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { loadCore, pinned } from '../lib/cores.ts';
import { nextMessage } from '../lib/next-message.ts';
import type { Job, JobResult, LoadMessage } from './jobs.ts';

/** Cameras and readers, all in one process on a core of their own. */
export class LoadProcess {
  readonly #child: ChildProcess;

  constructor() {
    const program = join(import.meta.dirname, 'load/main.ts');
    const node = [process.execPath, '--conditions=@waymark/source', program];
    const [command = '', ...args] = pinned(loadCore, node);
    this.#child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** Does a job. @param onBegin called when everybody is connected and warm, and measuring begins */
  async run(job: Job, onBegin: () => Promise<void> = async () => {}): Promise<JobResult> {
    this.#child.send(job);
    let message = await nextMessage<LoadMessage>(this.#child);
    if (message.event === 'begin') {
      const end = nextMessage<LoadMessage>(this.#child);
      await Promise.all([onBegin(), end]);
      message = await end;
    }
    if (message.event === 'begin') throw new Error('the load began twice');
    return message.result;
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }
}
