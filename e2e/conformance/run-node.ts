import { spawn } from 'node:child_process';

/** What a program left behind. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a JavaScript program to its end, whatever that is. @param home where it may keep files of its own */
export function runNode(argv: readonly string[], home?: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(home !== undefined && { HOME: home, USERPROFILE: home }) },
    });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        said[stream] += text;
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...said }));
  });
}
