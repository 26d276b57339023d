import { verifies } from '@waymark/contract/testing';
import { type Application, formatReport, Type } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, serve } from './serve.ts';

async function warningsOf(app: Application): Promise<readonly string[]> {
  const { report } = await serve(app);
  return report.warnings.map(({ text }) => text);
}

const keyed = (options = {}): Application =>
  application(options).apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin', 'maps:write'] });

describe('the warnings at start', () => {
  it('are none for an application that is closed to strangers', async () => {
    const app = keyed()
      .get('/maps', () => 1)
      .post('/maps', { scopes: ['maps:write'] }, () => 1);
    expect(await warningsOf(app)).toEqual([]);
  });

  it('name each route that changes state and answers anybody, once, with the fix', async () => {
    verifies('startup.warnings');
    const app = keyed()
      .post('/maps', () => 1)
      .delete('/maps/{id}', () => 1)
      .get('/maps', () => 1);
    const { report } = await serve(app);
    expect(report.warnings).toEqual([
      { severity: 'warning', text: 'POST /maps changes state and answers anybody', fix: 'give it scopes' },
      {
        severity: 'warning',
        text: 'DELETE /maps/{id} changes state and answers anybody',
        fix: 'give it scopes',
      },
    ]);
  });

  it('say without authentication once what holds for every route', async () => {
    const app = application()
      .post('/maps', () => 1)
      .delete('/maps/{id}', () => 1);
    expect(await warningsOf(app)).toEqual([
      'no authentication is configured: every route without scopes answers anybody who connects',
    ]);
  });

  it('name every wildcard and every guard that is switched off', async () => {
    const app = keyed({ trustProxy: ['0.0.0.0/0'] })
      .cors(['*'])
      .securityHeaders({ enabled: false });
    expect(await warningsOf(app.anonymousScopes('svc:admin'))).toEqual([
      'anonymous callers hold "svc:admin": the control plane and its approvals are open to them',
      'cors lets the pages of any origin read answers',
      'trustProxy believes every peer: callers choose the address by which they are limited and logged',
      'security headers are disabled',
    ]);
  });

  it('name what is odd about a declaration, with its line', async () => {
    verifies('boot.pattern-warning', 'startup.warnings');
    const app = keyed().get('/maps', { input: { q: Type.String({ pattern: '^(a+)+$' }) } }, () => 1);
    const { report } = await serve(app);
    expect(report.warnings).toEqual([
      {
        severity: 'warning',
        code: 'pattern-runs-away',
        text: expect.stringMatching(
          /^route GET \/maps: input "q": the pattern "\^\(a\+\)\+\$" can read/,
        ) as string,
        fix: expect.any(String) as string,
        at: { file: 'apps/server/test/startup-warnings.test.ts', line: expect.any(Number) as number },
      },
    ]);
  });

  it('name scopes that a route needs and nobody holds, once each', async () => {
    const app = keyed()
      .get('/maps', { scopes: ['maps:raed'] }, () => 1)
      .get('/more-maps', { scopes: ['maps:raed'] }, () => 1);
    expect(await warningsOf(app)).toEqual([
      'route GET /maps: needs the scope "maps:raed" (like 1 more), and no key is granted it',
    ]);
    const tokens = application({}, { JWT_SECRET: 'a-secret-that-is-shared-with-the-issuer-alone' });
    expect(
      await warningsOf(tokens.jwt('JWT_SECRET').get('/maps', { scopes: ['maps:raed'] }, () => 1)),
    ).toEqual([]);
  });

  it('say that an empty mcpScopes is held by everybody', async () => {
    expect(await warningsOf(keyed({ mcpScopes: [] }))).toEqual([
      'mcpScopes is empty: MCP and the tool listing answer anybody',
    ]);
    expect(await warningsOf(keyed({ mcpScopes: ['tools:use'] }))).toEqual([]);
  });

  it.each([
    ['', 'allowUnauthenticated lets the service listen beyond this machine without authentication'],
    ['production', 'application: allowUnauthenticated is set in production'],
  ])('say once that a server is open to everybody: NODE_ENV=%s', async (NODE_ENV, text) => {
    const app = application({ host: '127.0.0.2', allowUnauthenticated: true }, { NODE_ENV });
    expect((await warningsOf(app)).filter((line) => line.includes('allowUnauthenticated'))).toEqual([text]);
  });

  it('fit on a screen, and say where the others are', async () => {
    const app = keyed();
    for (let i = 0; i < 20; i++) app.post(`/maps/${i}`, () => 1);
    const { report } = await serve(app);
    expect(report.warnings).toHaveLength(20);
    expect(formatReport(report)).toMatch(/\n {2}warning {2}and 1\d more; waymark check lists them all$/);
    expect(app.security().warnings.filter(({ text }) => text.includes('changes state'))).toHaveLength(20);
  });

  it('hold what plugins warn about', async () => {
    const findings = () => [
      { severity: 'warning', text: 'the camera has no lens' } as const,
      { severity: 'info', text: 'the camera is grey' } as const,
    ];
    expect(await warningsOf(keyed().add({ name: 'cameras', routes: [], findings }))).toEqual([
      'the camera has no lens',
    ]);
  });
});
