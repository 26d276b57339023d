import { nearest } from '@waymark/contract/declaring';
import { type FixedClock, fixedClock } from '@waymark/contract/testing';
import type { Application } from '../application.ts';
import type { Target } from '../cli/call/target.ts';
import type { KeyInUse } from '../develop/development-options.ts';
import { Caller } from './caller.ts';
import { keepInMemory } from './keep-in-memory.ts';
import type { ScriptedAnswer } from './scripted-replies.ts';
import { TestModel } from './test-model.ts';

/** Options of `testApplication`. */
export interface TestOptions {
  /** What the models say, one answer after the other, whichever is asked; default: nothing, so that a call of one fails. */
  readonly model?: readonly ScriptedAnswer[];
  /** Epoch milliseconds at which the clock stands still until `clock.advance`; default: the clock of the machine. */
  readonly now?: number;
}

/** An application that a test talks to. Without `as` nobody is signed in. */
export interface TestedApplication extends Pick<Caller, 'request' | 'json' | 'call'> {
  readonly url: string;
  /** Calls with the key of that id, or of that variable. @throws {Error} no key is declared for it */
  as(key: string): Caller;
  readonly model: TestModel;
  /**
   * Moves the time of devices, watchers, deliveries, tokens and plugins. Limits of rates and times, and the questions of runs,
   * go by the clock of the machine.
   *
   * @throws {Error} without `now`
   */
  readonly clock: FixedClock;
  /** Stops it, as `await using` does. @throws {Error} a model was asked more often than it has answers */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an application for a test, for any runner: on a free port of this machine, with real sockets and all that guards it,
 * with keys of its own for variables that are not set, and with models that follow a script over the wire of their providers.
 * No real model is asked.
 *
 *     await using app = await testApplication(application, { model: ['Hello.'] });
 *     const answer = await app.as('reader').json('/agents/clerk', { json: { input: 'Anybody?' } });
 */
export async function testApplication(
  application: Application,
  { model: answers = [], now }: TestOptions = {},
): Promise<TestedApplication> {
  // The requests of tests are no news.
  process.env['LOG_LEVEL'] ??= 'silent';
  const model = new TestModel(answers);
  const clock = now === undefined ? undefined : fixedClock(now);
  let keys: readonly KeyInUse[] = [];
  const running = await application.listen({
    host: '127.0.0.1',
    port: 0,
    shutdownTimeout: 1,
    development: {
      onKeys: (found) => {
        keys = found;
      },
      modelServer: () => model.start(),
      everyModel: true,
      // An application that reads variables of its own does not see that of the process.
      database: keepInMemory(),
      ...(clock && { clock }),
    },
  });
  const { url } = running;
  const controlPrefix = application.table.controlPrefix;
  const callerWith = (headers: Readonly<Record<string, string>>): Caller =>
    new Caller(toTarget(url, controlPrefix, headers));
  const anybody = callerWith({});
  const close = async (): Promise<void> => {
    await running.close();
    model.verify();
  };
  return {
    ...{ url, model },
    request: (...given) => anybody.request(...given),
    json: (...given) => anybody.json(...given),
    call: (...given) => anybody.call(...given),
    as(name) {
      const found = keys.find(({ id, variable }) => id === name || variable === name);
      if (!found) throw new Error(noKey(name, keys));
      return callerWith({ 'x-api-key': found.key });
    },
    get clock() {
      if (clock) return clock;
      throw new Error('the clock of this test is that of the machine: pass now to testApplication');
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function toTarget(url: string, controlPrefix: string, own: Readonly<Record<string, string>>): Target {
  return {
    ...{ url, controlPrefix },
    send: (path, { headers, ...request } = {}) =>
      fetch(new URL(path, url), { ...request, headers: { ...own, ...(headers as Record<string, string>) } }),
    describe: () => Promise.reject(new Error('a test asks the server')),
    close: async () => {},
  };
}

function noKey(name: string, keys: readonly KeyInUse[]): string {
  const ids = keys.map(({ id }) => id);
  const close = nearest(name, ids);
  const hint =
    close === undefined
      ? ids.length > 0
        ? `; there are ${ids.join(', ')}`
        : ''
      : `; did you mean "${close}"?`;
  return `no apiKey "${name}" is declared${hint}`;
}
