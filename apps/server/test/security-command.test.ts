import { beforeEach, describe, expect, it, vi } from 'vitest';
import { inFolder, type Printed, waymark } from './command-line.ts';

beforeEach(() => {
  vi.stubEnv('SHOP_KEY', 'a'.repeat(20));
});

function security(body: string, ...argv: readonly string[]): Promise<Printed> {
  const text = `import { createApplication } from '@waymark/server';\nexport const application = createApplication('shop');\n${body}\n`;
  inFolder({ 'application.ts': text });
  return waymark('security', ...argv);
}

const open = `application.apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] }).post('/maps', {}, () => 1).cors(['*']);`;

describe('waymark security', () => {
  it('prints what is public, which limits hold, and each warning with its fix, and ends with 0', async () => {
    const { code, out: text } = await security(open);
    expect(code).toBe(0);
    for (const line of [
      'authentication is configured',
      '  POST /maps  changes state',
      '  request_timeout  30 s',
      '  header_size  16384 bytes  (all headers together)',
      '  POST /maps changes state and answers anybody\n    fix: give it scopes',
      '  cors lets the pages of any origin read answers\n    fix: name the origins in cors',
      '  no rate limit is in force\n    fix: declare a rateLimit',
    ])
      expect(text).toContain(line);
  });

  it('says who approves a gated tool, and which key calls it without being asked', async () => {
    const { out } = await security(`application
      .apiKey('SHOP_KEY', 'shop', { scopes: ['refunds'] })
      .post('/refunds', { tool: true, toolName: 'refund', scopes: ['refunds'], approval: 'required', approver: { scope: 'money', fourEyes: true } }, () => 1)
      .post('/credits', { tool: true, toolName: 'credit', scopes: ['credits'], approval: 'required' }, () => 1);`);
    expect(out).toContain('  refund  POST /refunds  (approver: svc:admin, money, four eyes)\n');
    expect(out).toContain('  credit  POST /credits  (approver: svc:admin)\n');
    expect(out).toContain('API key "shop" calls POST /refunds directly, and no human is asked');
  });

  it('prints the same as JSON', async () => {
    const { code, out } = await security(open, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      auth_configured: true,
      cors: { origins: ['*'], credentials: false },
      security_headers: { enabled: true, frame_options: 'DENY', hsts_max_age: 31_536_000 },
    });
  });

  it('ends with 78 and the place of what is declared wrongly', async () => {
    const { code, out, err } = await security(`application.cors('https://app.example.com');`);
    expect({ code, out }).toEqual({ code: 78, out: '' });
    expect(err).toMatch(
      /application\.ts:3 {2}cors: origins is not a list of texts; write \["https:\/\/app\.example\.com"\]/,
    );
  });
});
