import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Program, run, saveUntilNoticed } from './running.ts';

let folder: string;
const programs: Program[] = [];

beforeEach(() => {
  // Inside the repository, so that the application finds its packages.
  folder = mkdtempSync(join(import.meta.dirname, '.signals-'));
});
afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.child.kill('SIGTERM');
    await program.ended();
  }
  rmSync(folder, { recursive: true });
});

/** Serves an application, and waits until it does. */
async function serving(
  command: 'start' | 'dev',
  body: string,
): Promise<{ readonly program: Program; readonly url: string }> {
  const text = `import { createApplication } from '@waymark/server';
export const application = createApplication('shop', { shutdownTimeout: 0.3 });
${body}
`;
  writeFileSync(join(folder, 'application.ts'), text);
  const program = run(['apps/server/bin/waymark.js', command, '--port', '0'], { cwd: folder });
  programs.push(program);
  const [, url = ''] = await program.saying(/url +(http:\S+)/);
  await program.saying(/runs +1 process/);
  return { program, url };
}

/** A handler that says when it is asked and answers when `/release` is asked. */
const gated = `
let release;
const gate = new Promise((resolve) => { release = resolve; });
application.get('/slow', async () => { console.log('asked'); await gate; return 'done'; });
application.get('/stuck', () => { console.log('asked'); return new Promise(() => {}); });
setTimeout(() => {}, 60_000);
`;

describe.each(['SIGTERM', 'SIGINT'] as const)('waymark start, on %s', (signal) => {
  it('answers what is under way and ends with 0, whatever the application still waits for', async () => {
    verifies('http.shutdown.in-flight', 'http.shutdown.exit');
    const { program, url } = await serving(
      'start',
      `application.get('/slow', async (_input, request) => {
        console.log('asked');
        await new Promise((resolve) => process.once('${signal}', () => setTimeout(resolve, 50)));
        return 'done';
      });
      setTimeout(() => {}, 60_000);`,
    );
    const slow = fetch(`${url}/slow`);
    await program.saying(/asked/);
    program.child.kill(signal);
    expect(await (await slow).json()).toBe('done');
    expect(await program.ended()).toBe(0);
  });

  it('ends with 0 within shutdownTimeout + 1 s when a handler never answers', async () => {
    verifies('http.shutdown.exit', 'app.option.shutdown-timeout');
    const { program, url } = await serving('start', gated);
    const stuck = fetch(`${url}/stuck`).catch(() => 'cut');
    await program.saying(/asked/);
    const startedMs = performance.now();
    program.child.kill(signal);
    expect(await program.ended()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(3 * 1_300);
    expect(await stuck).toBe('cut');
  });
});

/** Adds a line to the application that `waymark dev` watches. */
async function append(program: Program, line: string): Promise<void> {
  const file = join(folder, 'application.ts');
  await saveUntilNoticed(program, file, readFileSync(file, 'utf8') + line);
}

describe('waymark start', () => {
  /** Nothing of it ever ends by itself. */
  const stuck = `
application.add({ name: 'stuck', routes: [], stop: () => new Promise(() => {}) });
process.once('SIGINT', () => setTimeout(() => console.log('still stopping'), 250));`;

  it('ends at once on a second signal', async () => {
    const { program } = await serving('start', stuck);
    const startedMs = performance.now();
    program.child.kill('SIGTERM');
    await program.saying(/stopping/);
    program.child.kill('SIGINT');
    expect(await program.ended()).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('ends at once when the same signal comes again', async () => {
    const { program } = await serving('start', stuck);
    program.child.kill('SIGINT');
    await program.saying(/still stopping/);
    program.child.kill('SIGINT');
    expect(await program.ended()).toBe(1);
  });

  it('takes the echo of a signal for one: npm passes on what the terminal has sent already', async () => {
    // From inside, where no busy machine keeps the second one back for longer than an echo may take.
    const echo = "process.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));";
    const { program } = await serving('start', `${stuck}\n${echo}`);
    program.child.kill('SIGINT');
    expect(await program.ended()).toBe(0);
  });
});

/** The processes below one, by what Linux says of them. */
function descendants(pid: number): readonly number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(Number(name)) === pid)
    .map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function parentOf(pid: number): number | undefined {
  try {
    const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(parent);
  } catch {
    // It ended while we looked.
    return undefined;
  }
}

describe.skipIf(process.platform !== 'linux')('waymark dev', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('leaves no process behind on %s', async (signal) => {
    const { program, url } = await serving('dev', '');
    const below = descendants(program.child.pid ?? 0);
    expect(below).toHaveLength(2);
    program.child.kill(signal);
    await program.ended();
    expect(below.filter((pid) => parentOf(pid) !== undefined)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('says where a syntax error or the problem of a declaration is, and serves again once it is gone', async () => {
    verifies('cli.dev');
    const { program } = await serving('dev', '');
    await append(program, 'const = ;\n');
    await program.saying(/application\.ts:4[\s\S]*Failed running/);
    await serveMaps(program, 'maps', 1);
    await append(program, `application.get('no-slash', () => 1);\n`);
    await program.saying(/application\.ts:4 {2}route GET no-slash[\s\S]*Failed running/);
    await serveMaps(program, 'globes', 2);
    // And leaves no process behind when it is stopped while there is an error.
    await append(program, 'const = ;\n');
    await program.saying(/(?:[\s\S]*?Failed running){3}/);
    const below = descendants(program.child.pid ?? 0);
    program.child.kill('SIGTERM');
    await program.ended();
    expect(below.filter((pid) => parentOf(pid) !== undefined)).toEqual([]);
  });
});

/** Saves an application without an error, and waits until it is served behind the nth failure. */
async function serveMaps(program: Program, what: string, nth: number): Promise<void> {
  writeFileSync(
    join(folder, 'application.ts'),
    `import { createApplication } from '@waymark/server';
export const application = createApplication('shop').get('/maps', () => '${what}');

`,
  );
  const [, url] = await program.saying(
    new RegExp(`(?:[\\s\\S]*?Failed running){${nth}}[\\s\\S]*?url +(http:\\S+)`),
  );
  await program.saying(new RegExp(`(?:[\\s\\S]*?Failed running){${nth}}[\\s\\S]*?runs +1 process`));
  expect(await (await fetch(`${url}/maps`)).json()).toBe(what);
}
