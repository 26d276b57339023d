import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { askForTemplate, create, initialiseGit, type TemplateName } from '../src/index.ts';
import { inFolder } from './in-folder.ts';

/** Runs the command line in this process: what it prints is collected instead. */
async function run(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const log = vi.spyOn(console, 'log').mockImplementation((text) => {
    said.out += `${text}\n`;
  });
  const error = vi.spyOn(console, 'error').mockImplementation((text) => {
    said.err += `${text}\n`;
  });
  try {
    return { code: await create(argv), ...said };
  } finally {
    log.mockRestore();
    error.mockRestore();
  }
}

describe('npm create waymark', () => {
  it('writes an application, and says in three lines what to do next', async () => {
    verifies('getting.create');
    inFolder();
    expect(await run('my desk/Support', '--template', 'agent')).toEqual({
      code: 0,
      err: '',
      out: `my desk/Support is ready. Next:

  cd 'my desk/Support' && npm install
  npm run dev
  npx waymark call list_orders --as operator    # in another terminal, in that folder
`,
    });
    expect(readFileSync('my desk/Support/application.ts', 'utf8')).toContain("application.agent('clerk'");
  });

  it('asks nobody who is not there: it is minimal then', async () => {
    verifies('getting.create');
    inFolder();
    expect(await run('desk')).toMatchObject({ code: 0 });
    expect(await run('shop', '--yes')).toMatchObject({ code: 0 });
    for (const folder of ['desk', 'shop'])
      expect(readFileSync(`${folder}/application.ts`, 'utf8')).toContain("toolName: 'greet'");
  });

  it.each([
    [[], 'name the folder of the application: npm create waymark@latest my-app'],
    [['desk', 'chair'], 'there is nothing to do with "chair"'],
    [['desk', '--templte', 'agent'], "Unknown option '--templte'; --help shows what there is"],
    [['desk', '--template'], "Option '--template <value>' argument missing; --help shows what there is"],
    [
      ['desk', '--template', 'agnet'],
      'unknown template "agnet"; did you mean "agent"? there are: minimal, agent, camera, data',
    ],
    [['desk', '--template', 'vue'], 'unknown template "vue"; there are: minimal, agent, camera, data'],
  ])('ends with 2 for %j, in a line, and writes nothing', async (argv, said) => {
    verifies('getting.unknown-template');
    inFolder();
    expect(await run(...argv)).toEqual({ code: 2, out: '', err: `${said}\n` });
    expect(readdirSync('.')).toEqual([]);
  });

  it('ends with 1 where the machine lets no folder be made', async () => {
    expect(await run('/proc/none/desk')).toMatchObject({ code: 1 });
  });

  it('shows its help and its version', async () => {
    expect((await run('--help')).out).toMatch(/^ {2}camera {3}a camera, and an agent that looks at it$/m);
    expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

/** Somebody at a terminal who types. */
async function ask(typed: string, { isTTY = true } = {}): Promise<{ chosen: TemplateName; shown: string }> {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  const chosen = askForTemplate({ input, output });
  input.end(typed);
  return { chosen: await chosen, shown: String(output.read() ?? '') };
}

describe('the question for a template', () => {
  it.each([
    ['2\n', 'agent'],
    ['data\n', 'data'],
    ['\n', 'minimal'],
    ['9\ncamra\ncamera\n', 'camera'],
  ])('takes %j for %s', async (typed, chosen) => {
    verifies('getting.asks');
    expect(await ask(typed)).toMatchObject({ chosen });
  });

  it('lists what there is, and says again what was not understood', async () => {
    verifies('getting.asks');
    const { shown } = await ask('camra\n3\n');
    expect(shown).toContain('  1  minimal  one route, which is an endpoint and a tool\n');
    expect(shown).toContain('unknown template "camra"; did you mean "camera"?');
  });

  it('is not put to a program', async () => {
    expect(await ask('', { isTTY: false })).toEqual({ chosen: 'minimal', shown: '' });
  });

  it('writes nothing when it is left', async () => {
    await expect(ask('')).rejects.toThrow('nothing was written');
  });
});

describe('initialiseGit', () => {
  it('makes a repository where there is none and git is there', async () => {
    const folder = inFolder({ 'desk/a': '', 'other/a': '' });
    vi.stubEnv('GIT_CEILING_DIRECTORIES', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(initialiseGit('desk')).toBe(true);
    expect(existsSync('desk/.git')).toBe(true);
    expect(initialiseGit('desk')).toBe(false);
    await run(join('desk', 'inner'));
    expect(existsSync('desk/inner/.git')).toBe(false);
    vi.stubEnv('PATH', folder);
    expect(initialiseGit('other')).toBe(false);
  });
});
