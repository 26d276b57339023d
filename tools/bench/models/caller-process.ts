import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Contestant } from '../lib/best-of-rounds.ts';
import { loadCore, pinned } from '../lib/cores.ts';
import { nextMessage } from '../lib/next-message.ts';
import type { CallerName, CallResult } from './callers.ts';
import type { Format } from './request.ts';

/** What some calls took. */
export interface CallsDone {
  /** User and system time of the whole process for each call. */
  readonly cpuMicros: number;
  readonly perSecond: number;
}

/** What a caller says: first what a call gave, then what calls took, each time it is asked. */
export type CallerMessage = { readonly result: CallResult } | CallsDone;

/** How calls are made: enough at once that the process never waits for the provider. */
export interface CallsOptions {
  readonly calls: number;
  readonly inFlight: number;
}

/** Somebody who calls a provider, in a process of its own: the CPU time of a call, microseconds. */
export class CallerProcess implements Contestant {
  readonly name: CallerName;
  readonly result: CallResult;
  /** The most calls a second of any round. */
  perSecond = 0;
  readonly #child: ChildProcess;
  readonly #options: CallsOptions;

  private constructor(name: CallerName, child: ChildProcess, result: CallResult, options: CallsOptions) {
    this.name = name;
    this.result = result;
    this.#child = child;
    this.#options = options;
  }

  static async start(
    name: CallerName,
    format: Format,
    url: string,
    options: CallsOptions,
  ): Promise<CallerProcess> {
    const node = [process.execPath, '--conditions=@waymark/source'];
    const program = [join(import.meta.dirname, 'caller.ts'), name, format, url];
    const [command = '', ...args] = pinned(loadCore, [...node, ...program]);
    const child = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    const { result } = await nextMessage<Extract<CallerMessage, { result: CallResult }>>(child);
    return new CallerProcess(name, child, result, options);
  }

  readonly measure = async (): Promise<number> => {
    const answer = nextMessage<CallsDone>(this.#child);
    this.#child.send(this.#options);
    const { cpuMicros, perSecond } = await answer;
    this.perSecond = Math.max(this.perSecond, perSecond);
    return cpuMicros;
  };

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }
}
