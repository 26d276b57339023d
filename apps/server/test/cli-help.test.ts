import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { commandNames } from '../src/cli/run.ts';
import { inFolder, waymark } from './command-line.ts';

describe('the help of the command line', () => {
  it('names every command', async () => {
    const { code, out } = await waymark('--help');
    expect(code).toBe(0);
    expect(commandNames).toEqual([
      ...[
        'new',
        'dev',
        'start',
        'check',
        'migrate',
        'seed',
        'backup',
        'restore',
        'explain',
        'routes',
        'tools',
      ],
      ...['call', 'chat', 'push', 'tour', 'watch'],
      ...['openapi', 'typegen'],
      'mcp-config',
      ...['keygen', 'security'],
    ]);
    for (const name of commandNames) expect(out).toMatch(new RegExp(`^ +${name}  +\\w`, 'm'));
    expect(out).not.toContain('dev-server');
  });

  it.each(commandNames)('shows an example and --json of %s', async (name) => {
    verifies('cli.help', 'cli.json');
    const { code, out, err } = await waymark(name, '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`EXAMPLES\\n\\n( {2}waymark ${name} ?.*\\n)+`));
    expect(out).toMatch(/^ +--json {2,}\w/m);
  });

  it('tells the version', async () => {
    const manifest = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    expect(await waymark('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });
});

describe('a command that is typed wrongly', () => {
  it.each([
    [['chek'], 'unknown command "chek"; did you mean "check"?'],
    [['constructor'], 'unknown command "constructor"'],
    [['routes', '--tolls'], 'unknown option "--tolls"; did you mean "--tools"?'],
    [['routes', '--constructor'], 'unknown option "--constructor"'],
    [['routes', '--file', 'application.ts'], 'unknown option "--file"'],
    [['routes', 'a.ts', 'b.ts'], 'there is nothing to do with "b.ts"'],
    [['openapi', '--out'], '--out needs a value'],
    [['openapi', '--no-out'], 'there is no --no-out: --out takes a value'],
    [['chat', 'clerk', '--no-as'], 'there is no --no-as: --as takes a value'],
    [['routes', '--no-json=yes'], '--no-json takes no value'],
    [['routes', '--no-tolls'], 'unknown option "--tolls"; did you mean "--tools"?'],
    [['dev'], 'no application is here; waymark new makes one'],
    [['dev', 'nowhere/application.ts'], 'there is no folder nowhere'],
    [['mcp-config', '--client', 'claude', '--key-env', 'wm_a-b'], '--key-env is not the name of a variable'],
    [['new', 'a'.repeat(215)], 'cannot be the name of a package'],
    [['check', 'nowhere.ts'], 'there is no file nowhere.ts'],
  ])('ends with 2 and says on stderr what is meant: %j', async (argv, words) => {
    verifies('cli.exit-codes', 'cli.nearest', 'cli.streams');
    inFolder();
    const { code, out, err } = await waymark(...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`${words}\nwaymark --help shows what there is\n`);
  });

  it.each(commandNames)(
    'ends with 2 and no stack, whatever is written where %s has options',
    async (name) => {
      verifies('cli.exit-codes');
      inFolder();
      const odd = ['-_', '---a', '--_', '--_=z', '--=x', '--=', '--__proto__', '--constructor=x'];
      const negated = ['--no-', '--no-=x', '--no-_', '--no-__proto__'];
      for (const word of [...odd, ...negated, `--${'x'.repeat(100_000)}`]) {
        const { code, out, err } = await waymark(name, word);
        expect({ word, code, out }).toEqual({ word, code: 2, out: '' });
        expect(err).not.toMatch(/^ +at /m);
      }
    },
  );
});

describe('a port that is none', () => {
  it.each(['start', 'dev'])('is refused before a file is looked at: %s', async (name) => {
    inFolder({ 'application.ts': 'throw new Error("not asked for");' });
    for (const port of ['99999', '65536', 'x', '-1'])
      expect(await waymark(name, `--port=${port}`)).toEqual({
        ...{ code: 2, out: '' },
        err: `--port ${port} is not a number from 0 to 65535\nwaymark --help shows what there is\n`,
      });
  });
});
