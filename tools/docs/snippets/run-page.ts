import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '@waymark/contract/testing';
import { matchesOutput } from './matches-output.ts';
import type { Snippet } from './read-snippets.ts';

/** What became of a page. */
export interface PageOutcome {
  readonly ran: number;
  /** The first thing that went otherwise than the page says; the rest of it was not run. */
  readonly failure?: string;
  /** Folders with the TypeScript of the page, as it stood whenever something ran. */
  readonly sources: readonly string[];
}

/** Where a page is run. */
export interface PageFolders {
  readonly root: string;
  /** Its own, which is empty. */
  readonly folder: string;
  /** Programs that it calls. */
  readonly shims: string;
  /** Folder whose files it begins with; none. */
  readonly beside?: string;
}

/** Longer than anything on a page takes, also on a busy machine. */
const patienceMs = 90_000;

/** Ports that pages name: each is a free one where it runs. */
const ports = ['8000', '8001', '8002', '8003', '8004', '8005'] as const;

/**
 * Does what a page says, in a folder of its own: writes its files, runs its commands and compares what they print.
 */
export async function runPage(
  snippets: readonly Snippet[],
  { root, folder, shims, beside }: PageFolders,
): Promise<PageOutcome> {
  const home = join(folder, 'page');
  mkdirSync(home, { recursive: true });
  if (beside !== undefined)
    cpSync(beside, home, { recursive: true, filter: (path) => !/[\\/]\.waymark$|\.db/.test(path) });
  const free = new Map<string, string>();
  for (const port of ports) free.set(port, String(await freePort()));
  const local = (text: string): string => text.replaceAll(/\b800[0-5]\b/g, (port) => free.get(port) ?? port);
  const named = new Map([...free].map(([name, port]) => [port, name]));
  // A number that has one within it is no port.
  const original = (text: string): string =>
    text.replaceAll(/\b\d{4,5}\b/g, (port) => named.get(port) ?? port);
  const shell = new Shell(home, folder, { shims, root, port: free.get('8000') ?? '0' });
  const sources: string[] = [];
  let ran = 0;
  let isFresh = true;
  try {
    for (const snippet of snippets) {
      if (snippet.kind === 'skipped') continue;
      ran++;
      if (snippet.kind === 'file') {
        const path = join(shell.where(), snippet.path);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, local(snippet.text));
        isFresh = false;
        continue;
      }
      const wrong = await shell.run({ ...snippet, text: local(snippet.text) }, original);
      if (!isFresh) sources.push(keepSources(folder, sources.length, home));
      isFresh = true;
      if (wrong !== undefined) return { ran, sources, failure: `line ${snippet.line}: ${wrong}` };
    }
    if (!isFresh) sources.push(keepSources(folder, sources.length, home));
    return { ran, sources };
  } finally {
    await shell.stop();
  }
}

/** Copies what is to be checked by its types, with what commands have made of it: a page may write the same file again. */
function keepSources(folder: string, n: number, home: string): string {
  const kept = join(folder, `types-${n}`);
  cpSync(home, kept, {
    recursive: true,
    filter: (path) =>
      !/[\\/](node_modules|browser|\.waymark|\.git|wrong\.ts)$/.test(path) &&
      (/\.tsx?$/.test(path) || statSync(path).isDirectory()),
  });
  return kept;
}

/** A shell that goes on where it was: its folder and its variables are those that the last command left. */
class Shell {
  readonly #servers: ChildProcess[] = [];
  readonly #state: string;
  readonly #home: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(
    home: string,
    folder: string,
    { shims, root, port }: { readonly shims: string; readonly root: string; readonly port: string },
  ) {
    this.#home = home;
    this.#state = join(folder, 'shell');
    writeFileSync(this.#state, `cd '${home}'\n`);
    this.#env = {
      ...{ HOME: folder, PORT: port, NO_COLOR: '1', CI: '1', LOG_LEVEL: 'error' },
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
      PATH: [shims, join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    };
  }

  /** The folder it is in. */
  where(): string {
    const [, folder = this.#home] = /^cd '(.*)'$/m.exec(readFileSync(this.#state, 'utf8')) ?? [];
    return folder;
  }

  /** @returns what went wrong */
  run(
    { text, exit, output }: Extract<Snippet, { kind: 'shell' }>,
    original: (text: string) => string,
  ): Promise<string | undefined> {
    const keep = `{ echo "cd '$PWD'"; export -p; } > '${this.#state}'`;
    const script = `. '${this.#state}'\nset -aeo pipefail\n${exit === 'serves' ? text : `${text}\n${keep}`}`;
    const child = spawn('bash', ['-c', script], {
      ...{ env: this.#env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    this.#servers.push(child);
    let [out, err] = ['', ''];
    return new Promise((resolve) => {
      const tooLate = setTimeout(() => resolve(`nothing came of it in time\n${out}${err}`), patienceMs);
      const end = (wrong?: string): void => {
        clearTimeout(tooLate);
        resolve(wrong);
      };
      const look = (): void => {
        if (exit !== 'serves' || !/^ {2}url +http|\bhttp:\/\/127\.0\.0\.1:\d+/m.test(out)) return;
        if (output === undefined || matchesOutput(original(out), `…${output.trimEnd()}…`)) end();
      };
      child.stdout?.setEncoding('utf8').on('data', (part: string) => {
        out += part;
        look();
      });
      child.stderr?.setEncoding('utf8').on('data', (part: string) => {
        err += part;
      });
      child.once('close', (code) => {
        if (exit === 'serves') end(`the server ended with ${code}\n${out}${err}`);
        else if (code !== exit) end(`ended with ${code}, not ${exit}\n${text}${out}${err}`);
        else if (output !== undefined && !matchesOutput(original(out || err), output))
          end(`printed something else:\n${original(out || err)}\nshown:\n${output}`);
        else end();
      });
    });
  }

  /** Ends all that is left, with what it started. */
  async stop(): Promise<void> {
    await Promise.all(
      this.#servers.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
        const gone = new Promise((resolve) => child.once('close', resolve));
        process.kill(-child.pid, 'SIGTERM');
        await gone;
      }),
    );
  }
}
