import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Program, run } from './running.ts';

const waymark = 'apps/server/bin/waymark.js';
let folder: string;
const programs: Program[] = [];

beforeEach(() => {
  // Inside the repository, so that the application finds its packages.
  folder = mkdtempSync(join(import.meta.dirname, '.cli-'));
});
afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.child.kill('SIGTERM');
    await program.ended();
  }
  rmSync(folder, { recursive: true });
});

function cli(argv: readonly string[], env: NodeJS.ProcessEnv = {}, stdin?: string): Program {
  const program = run([waymark, ...argv], { cwd: folder, env, ...(stdin !== undefined && { stdin }) });
  programs.push(program);
  return program;
}

function application(body: string): void {
  writeFileSync(
    join(folder, 'application.ts'),
    `import { createApplication, Type } from '@waymark/server';\nexport const application = createApplication('shop');\n${body}\n`,
  );
}

describe('waymark chat', () => {
  it('talks to an agent of a file that is started for that, line by line', async () => {
    const simulator = await startSimulator({ anonymous: true });
    onTestFinished(() => simulator.close());
    application(`application
      .apiKey('CLERK_KEY', 'clerk')
      .provider('simulator', process.env.MODELS, { kind: 'anthropic' })
      .models({ default: 'simulator/claude-opus-5' })
      .agent('clerk', { exposeScopes: [] });`);
    const talk = async (lines: string, ...options: readonly string[]): Promise<Program> => {
      const argv = ['chat', 'clerk', '--as', 'clerk', '--file', 'application.ts', ...options];
      const env = { CLERK_KEY: '0123456789abcdef', MODELS: simulator.url };
      const program = cli(argv, env, lines);
      await program.ended();
      return program;
    };
    const well = await talk('[[say One.]]\n[[echo messages]]\n');
    expect(await well.ended()).toBe(0);
    expect(well.stdout()).toMatch(/^One\.\n.*\[\[say One\.\]\]/);
    const ill = await talk('[[error 400]]\n');
    expect(await ill.ended()).toBe(1);
    expect(ill.stdout()).toMatch(/^failed: provider/);
  });
});

describe('waymark start', () => {
  it('serves the application of the folder, reads .env, and ends with 0 when told to stop', async () => {
    verifies('cli.start', 'product.names', 'http.shutdown.exit', 'config.env-file');
    application(`application.apiKey('SHOP_KEY', 'shop').get('/hello', {}, () => 'hi');`);
    writeFileSync(join(folder, '.env'), 'SHOP_KEY=0123456789abcdef\n');
    const program = cli(['start', '--port', '0']);
    const [, url] = await program.saying(/url +(http:\S+)/);
    expect(await (await fetch(`${url}/hello`)).json()).toBe('hi');
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
  });

  it('ends with 78 and every problem at once when the declarations are wrong', async () => {
    verifies('authority.key.unset', 'authority.key.help');
    application(`application.apiKey('SHOP_KEY', 'shop').get('no-slash', {}, () => 1);`);
    const program = cli(['start', '--port', '0']);
    expect(await program.ended()).toBe(78);
    expect(program.stderr()).toContain('2 declaration problems');
    expect(program.stderr()).toMatch(
      /application\.ts:3 {2}route GET no-slash: path "no-slash" does not start with "\/"/,
    );
    expect(program.stderr()).toContain('waymark keygen --env SHOP_KEY');
    expect(program.stderr()).not.toContain('    at ');
  });

  it('refuses a key under 16 bytes', async () => {
    verifies('authority.key.short');
    application(`application.apiKey('SHOP_KEY', 'shop');`);
    const program = cli(['start', '--port', '0'], { SHOP_KEY: '0123456789abcde' });
    expect(await program.ended()).toBe(78);
    expect(program.stderr()).toContain('waymark keygen --env SHOP_KEY');
    expect(program.stderr()).not.toContain('0123456789abcde');
  });

  it('ends with 1 and says what kept a plugin from starting', async () => {
    application(
      `application.add({ name: 'cameras', routes: [], start() { throw new Error('no such device'); } });`,
    );
    const program = cli(['start', '--port', '0']);
    expect(await program.ended()).toBe(1);
    expect(program.stderr()).toContain('plugin "cameras" failed to start');
    expect(program.stderr()).toContain('no such device');
  });

  it('ends with 78 rather than serving everybody on another address', async () => {
    verifies('authority.control.bind');
    application('');
    const program = cli(['start', '--host', '0.0.0.0', '--port', '0']);
    expect(await program.ended()).toBe(78);
    expect(program.stderr()).toContain('no authentication is configured');
  });

  it('lets flags win over the environment, which wins over the options', async () => {
    writeFileSync(
      join(folder, 'application.ts'),
      `import { createApplication } from '@waymark/server';\nexport default createApplication('shop', { host: '127.0.0.4', port: 1 });\n`,
    );
    const env = { WAYMARK_HOST: '127.0.0.3', PORT: '0' };
    await cli(['start'], env).saying(/url +http:\/\/127\.0\.0\.3:\d+/);
    await cli(['start', '--host', '127.0.0.2'], env).saying(/url +http:\/\/127\.0\.0\.2:\d+/);
  });

  it('logs the cause of a bug under the request id, and tells the caller nothing of it', async () => {
    verifies('error.exception.logged', 'http.problem.logged', 'http.problem.nothing-leaks');
    application(`application.get('/bug', () => { throw new Error('the secret cause'); });`);
    const program = cli(['start', '--port', '0']);
    const [, url] = await program.saying(/url +(http:\S+)/);
    const response = await fetch(`${url}/bug`, { headers: { 'x-request-id': 'bug-1' } });
    expect(await response.text()).not.toContain('secret');
    const [line = ''] = await program.saying(/^.*the secret cause.*$/m);
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      request_id: 'bug-1',
      error: { message: 'the secret cause', stack: expect.stringContaining('application.ts:3') as string },
    });
  });

  it('logs what middleware throws', async () => {
    application(`application.use(() => { throw new Error('the secret cause'); });`);
    const program = cli(['start', '--port', '0']);
    const [, url] = await program.saying(/url +(http:\S+)/);
    const response = await fetch(`${url}/bug`, { headers: { 'x-request-id': 'bug-2' } });
    expect(await response.text()).not.toContain('secret');
    const [line = ''] = await program.saying(/^.*the secret cause.*$/m);
    expect(JSON.parse(line)).toMatchObject({ level: 'error', msg: 'middleware failed', request_id: 'bug-2' });
  });
});
