import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@waymark/contract/testing';
import { has, pinned, serverCore } from '../lib/cores.ts';
import { withFile } from '../lib/run-pinned.ts';
import type { Hub } from './hub.ts';

/** Where Debian puts it, which is in nobody's path but root's. */
const program = ['mosquitto', '/usr/sbin/mosquitto'].find(has);

/** Clock ticks that `/proc` counts CPU time in, of a second: what Linux tells every program. */
const ticksPerSecond = 100;
const pageBytes = 4096;

/** Starts the broker as it comes, open to this machine. Undefined where it is not installed, or there is no `/proc`. */
export async function startMosquitto(name: string): Promise<Hub | undefined> {
  if (program === undefined || !existsSync('/proc/self/stat')) return undefined;
  const port = await freePort();
  const config = `listener ${port} 127.0.0.1\nallow_anonymous true\n`;
  const child = await withFile('mosquitto.conf', config, async (file) => {
    const [command = '', ...args] = pinned(serverCore, [program, '-c', file]);
    const started = spawn(command, args, { stdio: 'ignore' });
    await untilOpen(port, started);
    return started;
  });
  const read = (file: string): Promise<string> => readFile(`/proc/${child.pid}/${file}`, 'latin1');
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    wire: 'mqtt',
    async cpuMicros() {
      // What follows the name of the program, which may hold anything; proc(5).
      const fields = (await read('stat')).split(') ')[1]?.split(' ') ?? [];
      return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
    },
    rssBytes: async () => Number((await read('statm')).split(' ')[1]) * pageBytes,
    async stop() {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}

/** Until it takes connections. @throws {Error} when it ends before */
async function untilOpen(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`mosquitto ended with ${child.exitCode}`);
    const socket = connect({ host: '127.0.0.1', port });
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await sleep(20); // not open yet
    } finally {
      socket.destroy();
    }
  }
}
