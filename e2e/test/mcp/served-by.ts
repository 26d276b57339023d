import { join } from 'node:path';
import { type Program, startProgram } from '../program.ts';
import { roundRobinProxy } from './round-robin-proxy.ts';

/** A program that serves, as one process or as several. */
export interface Served {
  /** Of the process, or of the proxy in front of several. */
  readonly url: string;
  /** Requests that each process got; empty without a proxy. */
  readonly counts: readonly number[];
  close(): Promise<void>;
}

/**
 * Starts processes of a program that says `url <url>`. Several are reached through a proxy that gives each request to
 * the next of them.
 *
 * @param file relative to the repository
 */
export async function servedBy(file: string, processes: number): Promise<Served> {
  const cwd = join(import.meta.dirname, '../../..');
  const programs = Array.from({ length: processes }, () => startProgram(file, { cwd }));
  const stopAll = async (): Promise<void> => void (await Promise.all(programs.map(stop)));
  try {
    const urls = await Promise.all(
      programs.map(async (program) => (await program.saying(/^url (\S+)$/m))[1] ?? ''),
    );
    if (processes === 1) return { url: urls[0] ?? '', counts: [], close: stopAll };
    const proxy = await roundRobinProxy(urls);
    const close = async (): Promise<void> => {
      await proxy.close();
      await stopAll();
    };
    return { url: proxy.url, counts: proxy.counts, close };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function stop(program: Program): Promise<number | null> {
  program.child.kill();
  return program.ended();
}
