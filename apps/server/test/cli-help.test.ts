import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { commandNames } from '../src/cli/run.ts';
import { applicationText, inFolder, waymark } from './command-line.ts';
import { run } from './running.ts';

describe('the help of the command line', () => {
  it('names every command', async () => {
    const { code, out } = await waymark('--help');
    expect(code).toBe(0);
    expect(commandNames).toEqual([
      ...['new', 'dev', 'start', 'check', 'routes', 'tools', 'call', 'openapi', 'typegen', 'mcp-config'],
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

  it('is plain text where no terminal reads it, whatever the terminal is called', async () => {
    const program = run(['apps/server/bin/waymark.js', '--help'], { env: { FORCE_COLOR: '1' } });
    expect(await program.ended()).toBe(0);
    expect(program.stdout()).toContain('COMMANDS');
    expect(program.stdout()).not.toContain('\u001b');
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
});

describe('waymark dev-server', () => {
  it('is not for people', async () => {
    const program = run(['apps/server/bin/waymark.js', 'dev-server']);
    expect(await program.ended()).toBe(2);
    expect(program.stderr()).toContain('dev-server is for waymark dev alone');
  });
});

describe('waymark start --json', () => {
  it('prints the startup report on one line, for programs', async () => {
    const folder = inFolder({ 'application.ts': applicationText(`application.get('/maps', () => 1);`) });
    const program = run(['apps/server/bin/waymark.js', 'start', '--port', '0', '--json'], { cwd: folder });
    const [line = ''] = await program.saying(/^\{.*\}$/m);
    const report = JSON.parse(line) as { url: string; bootMs: number };
    expect(report).toMatchObject({ name: 'desk', counts: { tools: 0 } });
    expect((await fetch(`${report.url}/maps`)).status).toBe(200);
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
  });

  it('ends when the application keeps a timer running and cannot be served', async () => {
    const folder = inFolder({
      'application.ts': applicationText(`application.get('no-slash', () => 1); setInterval(() => {}, 1000);`),
    });
    const program = run(['apps/server/bin/waymark.js', 'start', '--port', '0'], { cwd: folder });
    expect(await program.ended()).toBe(78);
  });
});
