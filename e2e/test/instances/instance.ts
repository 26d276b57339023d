import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type HubSocket, openSocket } from '../hub-socket.ts';
import { type Program, startProgram } from '../program.ts';
import { temporaryFolder } from '../started-desk.ts';
import { type Answer, type Asking, askOnce } from '../workers/crew.ts';

const key = 'yard-secret-of-more-than-16-bytes';

/** One instance of a service, started by the command line. */
export interface Instance {
  readonly program: Program;
  readonly url: string;
  /** Asks as the yard, whose answer is wanted. */
  ask(path: string, asking?: Asking): Promise<Answer>;
  open(target: string): Promise<HubSocket>;
  /** Sends a picture of a camera: of the door, where nothing else is said. */
  picture(bytes: Uint8Array, camera?: string): Promise<Answer>;
  /** What it lists of a device. */
  row(device: string): Promise<Readonly<Record<string, unknown>>>;
  /** Words of what is wrong with it. */
  troubles(): Promise<readonly string[]>;
  kill(): Promise<void>;
}

/** Starts one, until the test is over, or whatever calls `onEnd` back. */
export async function startInstance(
  env: Readonly<Record<string, string>>,
  onEnd: (task: () => void | Promise<void>) => void = onTestFinished,
): Promise<Instance> {
  const program = startProgram('apps/server/bin/waymark.js', {
    cwd: temporaryFolder(onEnd),
    env: { YARD_KEY: key, LOG_LEVEL: 'warn', WAYMARK_WORKERS: '2', ...env },
    argv: ['start', join(import.meta.dirname, '../programs/shared-yard.ts'), '--port', '0'],
  });
  const kill = async (): Promise<void> => {
    program.child.kill('SIGKILL');
    await program.ended();
  };
  onEnd(kill);
  const [, url = ''] = await program.saying(/url +(http:\S+)/);
  const ask: Instance['ask'] = (path, asking = {}) =>
    askOnce(new URL(path, url), { ...asking, headers: { 'x-api-key': key, ...asking.headers } });
  return {
    ...{ program, url, ask, kill },
    open: (target) => openSocket(url, target, key),
    picture: (body, camera = 'door') =>
      ask(`/devices/${camera}/frames`, { method: 'POST', body, headers: { 'content-type': 'image/png' } }),
    async row(device) {
      const { devices } = (await ask('/_svc/devices')).json as {
        devices: Readonly<Record<string, unknown>>[];
      };
      return devices.find(({ name }) => name === device) ?? {};
    },
    async troubles() {
      const { troubles = [] } = (await ask('/_svc/health')).json as { troubles?: { code: string }[] };
      // True of a machine that has much else to do, and of no test.
      return troubles.flatMap(({ code }) => (code === 'event-loop-slow' ? [] : [code]));
    },
  };
}
