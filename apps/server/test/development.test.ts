import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import {
  type Application,
  createApplication,
  DeclarationError,
  type DevelopmentOptions,
  type RunningApplication,
} from '@waymark/server';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startStandIn } from '../src/rehearse/start-stand-in.ts';

const quiet = { LOG_LEVEL: 'silent' };

function desk(env: Readonly<Record<string, string>> = {}, host?: string): Application {
  return createApplication('desk', {
    port: 0,
    env: { ...quiet, ...env },
    ...(host !== undefined && { host }),
  })
    .apiKey('DESK_KEY', 'desk', { scopes: ['ask'] })
    .agent('clerk', { description: 'Answers.', exposeScopes: ['ask'] });
}

async function start(app: Application, development: DevelopmentOptions): Promise<RunningApplication> {
  const running = await app.listen({ development });
  onTestFinished(() => running.close());
  return running;
}

async function ask({ url }: RunningApplication, key: string | undefined): Promise<unknown> {
  const response = await fetch(`${url}/agents/clerk`, {
    method: 'POST',
    headers: { 'x-api-key': key ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ input: '[[say Certainly.]]' }),
  });
  return response.json();
}

let folder: string | undefined;
function keysFile(): string {
  folder ??= mkdtempSync(join(tmpdir(), 'development-'));
  return join(folder, '.waymark', 'dev.env');
}
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

describe('keys that a development machine lacks', () => {
  it('are named where somebody signs in, if one of them may, and only then', async () => {
    verifies('console.development-key');
    const admin = { scopes: ['svc:admin'] };
    const page = async (app: Application, development?: DevelopmentOptions): Promise<string> => {
      const running = await (development ? start(app, development) : app.listen());
      const text = await (await fetch(`${running.url}/_svc/console`)).text();
      await running.close();
      return text;
    };
    const keyed = { keysFile: keysFile() };
    const boss = (env = {}): Application => desk(env).apiKey('BOSS_KEY', 'boss', admin);
    const html = await page(boss(), keyed);
    expect(html).toContain('content="BOSS_KEY .waymark/dev.env"');
    expect(html).not.toContain(tmpdir());
    const set = { BOSS_KEY: 'boss-key-of-more-than-16-bytes', DESK_KEY: 'desk-key-of-more-than-16-bytes' };
    for (const other of [
      await page(desk(), keyed),
      await page(boss({ BOSS_KEY: set.BOSS_KEY }), keyed),
      await page(boss(set)),
    ])
      expect(other).not.toContain('development-key');
  });

  it('are made once, work, and are reported', async () => {
    verifies('dev.keys');
    const file = keysFile();
    const running = await start(desk(), { keysFile: file });
    const { made } = running.report.keys ?? {};
    expect(running.report.keys).toEqual({
      file,
      made: { DESK_KEY: expect.stringMatching(/^wm_/) as string },
    });
    const health = await fetch(`${running.url}/agents/clerk`, {
      headers: { 'x-api-key': made?.['DESK_KEY'] ?? '' },
    });
    expect(health.status).toBe(426);
    const again = await start(desk(), { keysFile: file });
    expect(again.report.keys).toEqual({ file, made: {} });
  });

  it('are not asked for where the variables are set', async () => {
    verifies('dev.keys');
    const file = keysFile();
    const { report } = await start(desk({ DESK_KEY: 'a-key-of-my-own-choice' }), { keysFile: file });
    expect(report).not.toHaveProperty('keys');
    expect(existsSync(file)).toBe(false);
  });

  it('are not made where others could connect, nor unless somebody says so', async () => {
    verifies('dev.keys');
    const file = keysFile();
    await expect(desk({}, '0.0.0.0').listen({ development: { keysFile: file } })).rejects.toThrow(
      DeclarationError,
    );
    await expect(desk().listen()).rejects.toThrow('the variable DESK_KEY is not set');
    expect(existsSync(file)).toBe(false);
  });
});

describe('models whose provider has no key', () => {
  const set = { DESK_KEY: 'a-key-of-my-own-choice' };
  const modelServer = (): ReturnType<typeof startSimulator> => startSimulator({ anonymous: true });

  it('are answered by the model server, which ends with the application', async () => {
    verifies('dev.simulated');
    const close = vi.fn<() => void>();
    const running = await desk(set).listen({
      development: {
        async modelServer() {
          const simulator = await modelServer();
          return { ...simulator, close: () => simulator.close().then(close) };
        },
      },
    });
    expect(running.report).toMatchObject({
      models: 'simulated, since ANTHROPIC_API_KEY is not set',
      warnings: expect.not.arrayContaining([expect.objectContaining({ code: 'agent-key' })]) as unknown,
    });
    expect(await ask(running, set.DESK_KEY)).toMatchObject({
      status: 'completed',
      output: 'Certainly.',
      steps: [expect.objectContaining({ model: 'anthropic/claude-opus-5' })],
    });
    await Promise.all([running.close(), running.close()]);
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('are so for each provider that is asked, in its own format', async () => {
    verifies('dev.simulated');
    const app = desk(set)
      .provider('house', 'https://models.example/v1', { apiKeyEnv: 'HOUSE_KEY' })
      .models({ default: 'house/large', fast: 'claude-haiku-4-5' });
    const running = await start(app, { modelServer });
    expect(running.report.models).toBe('simulated, since HOUSE_KEY and ANTHROPIC_API_KEY are not set');
    expect(await ask(running, set.DESK_KEY)).toMatchObject({
      output: 'Certainly.',
      steps: [expect.objectContaining({ model: 'house/large' })],
    });
  });

  it.each([
    ['has its key', desk({ ...set, ANTHROPIC_API_KEY: 'never-sent-anywhere' })],
    ['nobody asks', createApplication('quiet', { port: 0, env: quiet }).get('/a', () => 1)],
  ])('are left alone where %s', async (_, app) => {
    const started = vi.fn<typeof modelServer>(modelServer);
    const { report } = await start(app, { modelServer: started });
    expect(started).not.toHaveBeenCalled();
    expect(report).not.toHaveProperty('models');
  });

  it('keep the server from nothing where there is no simulator', async () => {
    const missing = Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
    const { report } = await start(desk(set), {
      modelServer: () => startStandIn({}, () => Promise.reject(missing)),
    });
    expect(report.models).toMatch(
      /^none, since ANTHROPIC_API_KEY is not set; .*npm install --save-dev @waymark\/model-simulator/,
    );
  });

  it('are never asked beside one that answers for every model: without it nothing starts', async () => {
    const missing = Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
    const listening = desk({ ...set, ANTHROPIC_API_KEY: 'never-sent-anywhere' }).listen({
      development: {
        everyModel: true,
        modelServer: () => startStandIn({}, () => Promise.reject(missing)),
      },
    });
    await expect(listening).rejects.toThrow('the simulator is not installed');
  });

  it('end with a start that fails', async () => {
    const close = vi.fn<() => void>();
    const app = desk(set).get('a', () => 1);
    const listening = app.listen({
      development: { modelServer: async () => ({ url: 'http://127.0.0.1:9', close: async () => close() }) },
    });
    await expect(listening).rejects.toThrow(DeclarationError);
    expect(close).toHaveBeenCalledTimes(1);
  });
});
