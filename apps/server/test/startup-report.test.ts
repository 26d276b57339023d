import { verifies } from '@waymark/contract/testing';
import { formatReport } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, serve } from './serve.ts';

describe('the startup report', () => {
  it('says where the server is reached, what it serves, who may use it, where its state is, and how long it took', async () => {
    verifies(
      'startup.urls',
      'startup.counts',
      'startup.authentication',
      'startup.door',
      'startup.state',
      'startup.time',
      'scale.one-process',
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
        `  mcp      ${url}/ops/mcp`,
        `  openapi  ${url}/ops/openapi.json`,
        `  serves   ${app.table.size} routes, 1 tools`,
        '  auth     2 API keys: shop, other',
        '  door     table first',
        '  state    in memory: gone when the process stops',
        '  runs     1 process',
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
    const app = application({ templates: 'pages' }, { WAYMARK_HOTS: '1', HOST: 'my-box' });
    const { report } = await serve(app.apiKey('SHOP_KEY', 'shop'));
    expect(report.warnings.map(({ text }) => text)).toEqual([
      'environment: unknown variable WAYMARK_HOTS',
      'environment: HOST=my-box is not an address to bind and is ignored',
      'application: the templates option is set, and nothing declared here reads it',
    ]);
    expect(formatReport(report)).toMatch(
      /\n {2}warning {2}apps\/server\/test\/serve\.ts:\d+ {2}environment: unknown variable WAYMARK_HOTS; write "WAYMARK_HOST"\n/,
    );
  });
});
