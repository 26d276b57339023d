import { stripVTControlCharacters } from 'node:util';
import { verifies } from '@waymark/contract/testing';
import { formatReport } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { hasColors } from '../src/cli/terminal/has-colors.ts';
import { application, serve } from './serve.ts';

describe('the startup report', () => {
  it('says where the server is reached, what it serves, who may use it, where its state is, and how long it took', async () => {
    verifies(
      'docs-page.reported',
      'startup.urls',
      'startup.counts',
      'startup.authentication',
      'startup.door',
      'startup.state',
      'startup.time',
    );
    const app = application({ version: '1.2.3', controlPrefix: '/ops', workers: 1 });
    app
      .apiKey('SHOP_KEY', 'shop')
      .apiKey('OTHER_KEY', 'other')
      .get('/maps', { tool: true, summary: 'List the maps.' }, () => 1);
    const { url, report } = await serve(app);
    expect(report.bootMs).toBeGreaterThan(0);
    expect(formatReport({ ...report, bootMs: 12.6 })).toBe(
      [
        'shop 1.2.3 is ready in 13 ms',
        `  url      ${url}`,
        `  docs     ${url}/ops/docs`,
        `  mcp      ${url}/ops/mcp`,
        `  serves   ${app.table.size} routes, 1 tool`,
        '  auth     2 API keys: shop, other',
        '  state    in memory: gone when the process stops',
        '  runs     1 process, table first',
      ].join('\n'),
    );
  });

  it('counts one key as one', async () => {
    const { report } = await serve(application().apiKey('SHOP_KEY', 'shop'));
    expect(report.authentication).toBe('1 API key: shop');
  });

  it('says that nothing asks for a key, and what to do about it', async () => {
    verifies('startup.authentication', 'startup.warnings');
    const { report } = await serve(application());
    expect(report.authentication).toBe('none: only this machine reaches the control plane');
    expect(formatReport(report)).toContain(
      '\n  warning  no authentication is configured: every route without scopes answers anybody who connects; declare an apiKey or a jwt',
    );
  });

  it('warns about options that nothing uses and variables that nobody reads', async () => {
    verifies('startup.warnings');
    const app = application(
      { templates: 'pages', migrations: 'changes' },
      { WAYMARK_HOTS: '1', HOST: 'my-box' },
    );
    const { report } = await serve(app.apiKey('SHOP_KEY', 'shop'));
    expect(report.warnings.map(({ text }) => text)).toEqual([
      'environment: unknown variable WAYMARK_HOTS',
      'environment: HOST=my-box is not an address to bind and is ignored',
      'application: the templates option is set, and nothing declared here reads it',
      'application: the migrations option is set, and there is no database',
    ]);
    expect(formatReport(report)).toMatch(
      /\n {2}warning {2}apps\/server\/test\/serve\.ts:\d+ {2}environment: unknown variable WAYMARK_HOTS; write "WAYMARK_HOST"\n/,
    );
  });

  it('fits a terminal of 16 rows and 80 columns, whatever there is to say', async () => {
    verifies('cli.first-screen');
    const { report } = await serve(application().apiKey('SHOP_KEY', 'shop'));
    const key = `wm_${'x'.repeat(43)}`;
    const made = { OPERATOR_KEY: key, DEVICE_KEY: key, READER_KEY: key };
    const full = {
      ...report,
      docsUrl: `${report.url}/_svc/docs`,
      models: 'simulated, since neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set',
      keys: { file: '.waymark/dev.env', made },
    };
    const warned = (count: number, length: number): typeof report => ({
      ...full,
      keys: { ...full.keys, made: {} },
      warnings: Array.from({ length: count }, () => ({
        severity: 'warning' as const,
        text: 'w'.repeat(length),
      })),
    });
    const rowsOf = (text: string): number =>
      text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / 80), 0);
    for (const one of [full, warned(1, 20), warned(5, 20), warned(6, 60), warned(3, 200), warned(40, 79)]) {
      const text = formatReport(one, { hint: 'press h for help' });
      expect(rowsOf(text)).toBeLessThanOrEqual(16);
      expect(text.split('\n').at(-1)).toBe('  press h for help');
    }
    expect(formatReport(full)).toContain(`\n           READER_KEY=${key}`);
    expect(formatReport(warned(40, 20))).toMatch(/and \d+ more; waymark check lists them all$/);
    expect(formatReport(warned(1, 800))).toMatch(/1 warning; waymark check lists them all$/);
  });

  it('has colours only where it is told to', async () => {
    verifies('cli.first-screen');
    const { report } = await serve(application());
    const ansi = '\u001b[';
    expect(formatReport(report)).not.toContain(ansi);
    const painted = formatReport(report, { color: true, hint: 'press h for help' });
    expect(stripVTControlCharacters(painted)).toBe(formatReport(report, { hint: 'press h for help' }));
    expect(painted).toContain(ansi);
  });

  it.each([
    [{ isTTY: true, hasColors: () => true }, {}, true],
    [{ isTTY: true, hasColors: () => false }, {}, false],
    [{ isTTY: false }, {}, false],
    [{}, { FORCE_COLOR: '1' }, true],
    [{ isTTY: true, hasColors: () => true }, { FORCE_COLOR: '0' }, false],
    [{ isTTY: true, hasColors: () => true }, { NO_COLOR: '1' }, false],
  ])('takes colours for %j with %j as %j', (stream, env, expected) => {
    verifies('cli.first-screen');
    expect(hasColors(stream, env)).toBe(expected);
  });
});
