import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import plugin from '../src/lint/index.ts';

const root = join(import.meta.dirname, '../../..');
const config = {
  plugins: [],
  categories: { correctness: 'off' },
  jsPlugins: [join(import.meta.dirname, '../src/lint/index.ts')],
  rules: { 'waymark/no-clock-outside-ctx': 'error' },
};

interface Found {
  readonly message: string;
  readonly code: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/** What the linter says of a program. */
async function check(
  program: string,
): Promise<readonly { readonly line: number; readonly message: string }[]> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'app.ts'), program);
  const text = await new Promise<string>((resolve) => {
    const args = [
      join(root, 'node_modules/oxlint/bin/oxlint'),
      '-c',
      '.oxlintrc.json',
      '--format',
      'json',
      'app.ts',
    ];
    execFile(process.execPath, args, { cwd: folder }, (_, stdout) => resolve(stdout));
  });
  const { diagnostics } = JSON.parse(text) as { readonly diagnostics: readonly Found[] };
  for (const { code } of diagnostics) expect(code).toBe('waymark(no-clock-outside-ctx)');
  return diagnostics.map(({ message, labels }) => ({ line: labels[0]?.span.line ?? 0, message }));
}

/** The lines that say they are wrong. */
const wrongLines = (program: string): readonly number[] =>
  program.split('\n').flatMap((line, i) => (line.includes('// wrong') ? [i + 1] : []));

const linesOf = async (program: string): Promise<readonly number[]> =>
  [...new Set((await check(program)).map(({ line }) => line))].sort((a, b) => a - b);

describe('the lint rule no-clock-outside-ctx', () => {
  it('finds clocks, chance and timers in the function of a behaviour, in all of its forms', async () => {
    const program = `
import { randomUUID } from 'node:crypto';
behaviour(async function tidy(ctx) {
  return Date.now(); // wrong
});
behaviour({ tools: [] }, async (ctx) => new Date()); // wrong
app.behaviour('tidy', {}, async (ctx) => {
  const started = performance.now(); // wrong
  if (Math.random() < 0.5) await ctx.call('look'); // wrong
  await Promise.race([ctx.call('pay'), new Promise((resolve) => setTimeout(resolve, 5))]); // wrong
  const ids = [1, 2].map(() => crypto.randomUUID()); // wrong
  const more = [randomUUID(), globalThis.crypto.getRandomValues(new Uint8Array(1))]; // wrong
  setInterval(() => {}, 5); // wrong
  return [Date(), process.hrtime.bigint(), Date?.now()]; // wrong
});
server.app.behaviour('tidy', {}, later);
async function later(ctx) {
  return Date.now(); // wrong
}
const arrow = async (ctx) => Date.now(); // wrong
behaviour({}, arrow);
async function helper(ctx: BehaviourContext, days: number) {
  return Date.now() - days; // wrong
}
`;
    expect(await linesOf(program)).toEqual(wrongLines(program));
  });

  it('knows them by other names, and behaviours declared in a chain or by their type', async () => {
    const program = `
import { randomUUID as id, randomInt } from 'node:crypto';
import * as all from 'node:crypto';
import chance from 'crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { performance as clock } from 'node:perf_hooks';
const { now } = Date;
const epoch = Date.now;
createApplication('desk').get('/a', {}, list).behaviour('tidy', {}, async (ctx) => {
  id(); // wrong
  randomInt(5); // wrong
  all.randomUUID(); // wrong
  chance.randomBytes(3); // wrong
  await sleep(5); // wrong
  clock.now(); // wrong
  now(); // wrong
  epoch(); // wrong
  Date['now'](); // wrong
  [1, 2].map(Math.random); // wrong
  const at = new Date; // wrong
  const { random } = Math;
  random(); // wrong
});
behaviour({}, (async (ctx) => Date.now()) satisfies BehaviourFunction); // wrong
const tidy: BehaviourFunction = async (ctx) => Date.now(); // wrong
const sweep = (async (ctx) => Date.now()) as agents.BehaviourFunction; // wrong
async function help(ctx: agents.BehaviourContext) { return Date.now(); } // wrong
class Shop { async close({ call }: BehaviourContext) { return Date.now(); } } // wrong
`;
    expect(await linesOf(program)).toEqual(wrongLines(program));
  });

  it('says nothing of what only has the same name', async () => {
    const program = `
import { randomInt, randomUUID } from './seeded.ts';
import { setTimeout } from './schedule.ts';
function randomBytes(n) {}
const performance = { now: () => 1 };
behaviour({}, async (ctx) => {
  const { now, random } = ctx;
  randomInt(5), randomUUID(), setTimeout(5), randomBytes(2), performance.now(), now(), random();
  isA(ctx, Date), ctx.crypto.randomUUID(), mine.Date.now(), Date[now](), new Date(5);
});
`;
    expect(await linesOf(program)).toEqual([]);
  });

  it('says nothing of what is recorded, of other dates, and of other code', async () => {
    const program = `
behaviour('tidy', {}, async (ctx, { at }) => {
  const now = new Date(ctx.now());
  const then = Date.parse(at);
  return [now, then, ctx.random(), ctx.uuid(), Math.max(1, 2), Date.UTC(2026, 1)];
});
const started = Date.now();
app.get('/time', {}, () => new Date().toISOString());
function helper(context) {
  return Math.random();
}
behaviours.list('tidy', () => Date.now());
`;
    expect(await linesOf(program)).toEqual([]);
  });

  it('says what to use instead', async () => {
    const program = `behaviour('tidy', {}, () => {
      Date.now();
      Math.random();
      crypto.randomUUID();
      setTimeout(() => {}, 5);
    });`;
    expect((await check(program)).map(({ message }) => message)).toEqual([
      'Date.now gives something else at each replay of a behaviour: use ctx.now().',
      'Math.random gives something else at each replay of a behaviour: use ctx.random().',
      'crypto.randomUUID gives something else at each replay of a behaviour: use ctx.uuid().',
      'setTimeout is no time limit in a behaviour: its run waits without it. Let the approval expire, or pass ctx.signal.',
    ]);
  });

  it('is a plugin for ESLint, too', () => {
    expect(Object.keys(plugin.rules)).toEqual(['no-clock-outside-ctx']);
    expect(plugin.meta.name).toBe('waymark');
  });
});
