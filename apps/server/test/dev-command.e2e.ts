import { spawn } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applicationText, inFolder } from './command-line.ts';
import { type Program, run } from './running.ts';

/** Serves a folder with `waymark dev`, and waits until it does. */
async function dev(files: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<Program> {
  const folder = inFolder(files);
  const program = run(['apps/server/bin/waymark.js', 'dev', '--port', '0', ...argv], { cwd: folder });
  onTestFinished(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
  });
  await program.saying(/runs +1 process|^\{/m);
  return program;
}

/** The url of the n-th server. */
async function urlOf(program: Program, n: number): Promise<string> {
  const [, url = ''] = await program.saying(new RegExp(`(?:url +http[\\s\\S]*){${n - 1}}url +(http:\\S+)`));
  return url;
}

/** Somebody who sits before a terminal in which `waymark dev` runs. */
interface Seat {
  said(): string;
  saying(words: RegExp): Promise<void>;
  type(text: string): void;
  /** The exit code. */
  readonly ended: Promise<unknown>;
}

/** Serves a folder with `waymark dev` in a terminal. */
function inTerminal(folder: string, env: Readonly<Record<string, string>> = {}): Seat {
  const flags = process.env['PROGRAMS'] === 'built' ? [] : ['--conditions=@waymark/source'];
  const bin = join(import.meta.dirname, '..', 'bin', 'waymark.js');
  const line = [process.execPath, ...flags, bin, 'dev', '--port', '0'].map((one) => `'${one}'`).join(' ');
  // Makes a terminal for it, and says its exit code as its own.
  const child = spawn('script', ['-qefc', `exec ${line}`, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'xterm', LOG_LEVEL: 'silent', ...env },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += stripVTControlCharacters(text);
  });
  return {
    ended,
    said: () => said,
    saying: async (words) => {
      await expect.poll(() => said).toMatch(words);
    },
    type: (text) => void child.stdin.write(text),
  };
}

const options = '{ shutdownTimeout: 0.05 }';
const application = applicationText(
  `import { answer } from './answer.ts';
application.get('/answer', () => [answer, process.env.SHOP ?? null]);`,
  options,
);

describe('waymark dev', () => {
  it('serves again when files that the application imports or .env change, and says how long that took', async () => {
    verifies('cli.dev', 'cli.dev.reload', 'scale.workers.dev');
    const program = await dev({ 'application.ts': application, 'answer.ts': 'export const answer = 1;\n' });
    expect(await (await fetch(`${await urlOf(program, 1)}/answer`)).json()).toEqual([1, null]);
    const savedMs = performance.now();
    writeFileSync('answer.ts', 'export const answer = 2;\n');
    await program.saying(/Restarting: answer\.ts changed/);
    const url = await urlOf(program, 2);
    const tookMs = performance.now() - savedMs;
    expect(await (await fetch(`${url}/answer`)).json()).toEqual([2, null]);
    const [, , said] = /ready in (\d+) ms[\s\S]*ready in (\d+) ms/.exec(program.stdout()) ?? [];
    // From saving to serving: neither the age of the process that stood by, nor its own start alone.
    expect(Number(said)).toBeGreaterThan(20);
    expect(Number(said)).toBeLessThan(tookMs + 1);

    // Several files saved together are one change, and others none.
    writeFileSync('unread.ts', 'export const nobody = 1;\n');
    for (let i = 0; i < 5; i++) appendFileSync('answer.ts', `// ${i}\n`);
    appendFileSync('application.ts', '// once more\n');
    await urlOf(program, 3);
    expect(program.stdout().match(/Restarting: (?:answer|application)\.ts/g)).toHaveLength(2);
    expect(program.stdout()).not.toContain('unread.ts');

    // A .env that comes, and one that changes.
    writeFileSync('.env', 'SHOP=maps\n');
    expect(await (await fetch(`${await urlOf(program, 4)}/answer`)).json()).toEqual([2, 'maps']);
    writeFileSync('.env', 'SHOP=globes\n');
    expect(await (await fetch(`${await urlOf(program, 5)}/answer`)).json()).toEqual([2, 'globes']);
  });

  it('makes the keys that are not set, answers for models with the script beside the application, and says both', async () => {
    verifies('dev.keys', 'dev.simulated');
    const program = await dev({
      'package.json': '{"type":"module"}',
      'application.ts': applicationText(
        `application.apiKey('CLERK_KEY', 'clerk', { scopes: ['ask'] });
application.agent('helper', { description: 'Helps.', exposeScopes: ['ask'] });`,
        options,
      ),
      'simulator.ts': `export default () => '[[say As the script says.]]';`,
    });
    const url = await urlOf(program, 1);
    const [, key = ''] = await program.saying(/CLERK_KEY=(wm_[\w-]+)/);
    expect(program.stdout()).toMatch(/simulated, since ANTHROPIC_API_KEY is not set/);
    expect(readFileSync('.waymark/dev.env', 'utf8')).toContain(`CLERK_KEY=${key}\n`);
    const response = await fetch(`${url}/agents/helper`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{"input":"Hello?"}',
    });
    expect(await response.json()).toMatchObject({ output: 'As the script says.' });
    // The commands that call find it there, too.
    const call = run(['apps/server/bin/waymark.js', 'chat', 'helper', '--as', 'clerk', '--url', url], {
      cwd: process.cwd(),
      stdin: 'Hello?\n',
    });
    expect([await call.ended(), call.stdout()]).toEqual([0, expect.stringContaining('As the script says.')]);
  });

  it('hears keys where somebody sits at a terminal, and Ctrl-C stays what it is', async () => {
    verifies('cli.hot-keys');
    const folder = inFolder({
      'application.ts': applicationText(`application.get('/a', () => 1);`, options),
    });
    const { type, saying, ended } = inTerminal(folder);
    await saying(/ready in[\s\S]*press h for help/);
    type('h');
    await saying(/r {2}restart[\s\S]*q {2}quit/);
    type('k');
    await saying(/no keys were made/);
    type('t');
    await saying(/Documents and clients[\s\S]*openapi\.json/);
    type('r');
    await saying(/Restarting: on demand[\s\S]*ready in/);
    type('\u0003');
    expect(await ended).toBe(0);
  });

  it('prints a link that opens the console signed in, and o opens another one in a browser', async () => {
    verifies('cli.hot-keys', 'console.link');
    const folder = inFolder({
      'package.json': '{"type":"module"}',
      'application.ts': applicationText(
        `application.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin'] });`,
        options,
      ),
      // What a desktop has there: it is told which address to open.
      'bin/xdg-open': '#!/bin/sh\nprintf "%s" "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"\n',
    });
    chmodSync(join(folder, 'bin', 'xdg-open'), 0o755);
    const opened = join(folder, 'opened.txt');
    const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, OPENED: opened };
    const terminal = inTerminal(folder, env);
    await terminal.saying(/console +http:\S+[\s\S]*press h for help/);
    const [, printed = ''] = /console +(http:\S+)/.exec(terminal.said()) ?? [];
    terminal.type('o');
    await expect.poll(() => existsSync(opened)).toBe(true);
    const links = [printed, readFileSync(opened, 'utf8')];
    expect(new Set(links).size).toBe(2);
    for (const link of links) {
      const [, address = '', credential] = /^(http:.*\/_svc)\/console#code=([\w-]{22})$/.exec(link) ?? [];
      const signIn = () =>
        fetch(`${address}/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ credential }),
        });
      expect(await (await signIn()).json()).toMatchObject({ id: 'operator', authenticated: true });
      expect((await signIn()).status).toBe(401);
    }
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
  });

  it('serves again when a template or a partial changes, even one that was wrong; static files need no restart', async () => {
    verifies('cli.dev.templates');
    const pages = applicationText(
      `application.page('/board', 'board', { data: 1 });
application.staticFiles('/assets', 'public');`,
      `{ shutdownTimeout: 0.05, templates: 'templates' }`,
    );
    const program = await dev({
      'application.ts': pages,
      'templates/board.hbs': '<p>{{> line}}</p>',
      'templates/partials/line.hbs': 'one',
      'public/a.txt': 'one',
    });
    const page = async (n: number): Promise<string> =>
      (await fetch(`${await urlOf(program, n)}/board`)).text();
    expect(await page(1)).toBe('<p>one</p>');
    writeFileSync('templates/board.hbs', '<p>{{#if}}</p>');
    await program.saying(/Restarting: templates\/board\.hbs changed[\s\S]*Failed running/);
    writeFileSync('templates/board.hbs', '<b>{{> line}}</b>');
    expect(await page(2)).toBe('<b>one</b>');
    writeFileSync('templates/partials/line.hbs', 'two');
    await program.saying(/Restarting: templates\/partials\/line\.hbs changed/);
    expect(await page(3)).toBe('<b>two</b>');
    writeFileSync('public/a.txt', 'two');
    expect(await (await fetch(`${await urlOf(program, 3)}/assets/a.txt`)).text()).toBe('two');
    expect(program.stdout()).not.toContain('a.txt');
  });

  it('serves again when the .env of the project changes, and when one comes beside the file', async () => {
    verifies('config.env-file.project');
    const program = await dev(
      {
        'package.json': '{ "type": "module" }',
        '.env': 'SHOP=maps\n',
        'src/application.ts': application,
        'src/answer.ts': 'export const answer = 1;\n',
      },
      'src/application.ts',
    );
    const shop = async (n: number) => (await fetch(`${await urlOf(program, n)}/answer`)).json();
    expect(await shop(1)).toEqual([1, 'maps']);
    writeFileSync('.env', 'SHOP=globes\n');
    expect(await shop(2)).toEqual([1, 'globes']);
    writeFileSync('src/.env', 'SHOP=atlases\n');
    expect(await shop(3)).toEqual([1, 'atlases']);
    rmSync('src/.env');
    expect(await shop(4)).toEqual([1, 'globes']);
  });

  it('tries again when a file that was missing is there', async () => {
    const folder = inFolder({ 'application.ts': application });
    const program = run(['apps/server/bin/waymark.js', 'dev', '--port', '0'], { cwd: folder });
    onTestFinished(async () => {
      program.child.kill('SIGTERM');
      await program.ended();
    });
    await program.saying(/Failed running; waiting for a file to change/);
    expect(program.stderr()).toContain('answer.ts');
    writeFileSync('answer.ts', 'export const answer = 3;\n');
    expect(await (await fetch(`${await urlOf(program, 1)}/answer`)).json()).toEqual([3, null]);
  });

  it('ends a server that does not stop', async () => {
    const stuck = `application.add({ name: 'stuck', routes: [], stop: () => new Promise(() => {}) });`;
    const program = await dev({ 'application.ts': applicationText(stuck) });
    appendFileSync('application.ts', '// changed\n');
    await urlOf(program, 2);
    expect(program.stdout().match(/ready in/g)).toHaveLength(2);
    program.child.kill('SIGKILL');
  });

  it('leaves no process behind when it is killed', async () => {
    const program = await dev({ 'application.ts': applicationText('') });
    const health = `${await urlOf(program, 1)}/_svc/health`;
    const ask = () =>
      fetch(health).then(
        (heard) => heard.text(),
        () => 'nobody',
      );
    expect(await ask()).toContain('"desk"');
    program.child.kill('SIGKILL');
    // They hold its output: it is closed when they are gone.
    await program.ended();
    // Somebody else's server may have the port by now.
    expect(await ask()).not.toContain('"desk"');
  });

  it('prints the startup report as JSON when asked to', async () => {
    const said = applicationText(`console.log('said by the application');`);
    const program = await dev({ 'application.ts': said }, '--json');
    appendFileSync('application.ts', '// saved\n');
    await expect.poll(() => program.stdout().split('\n')).toHaveLength(3);
    // Nothing else: what the application and its log say goes to stderr.
    const lines = program.stdout().trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly name?: string }).name)).toEqual([
      'desk',
      'desk',
    ]);
    for (const line of ['said by the application', 'Restarting: application.ts changed', '"request"'])
      expect(program.stderr()).toContain(line);
  });
});
