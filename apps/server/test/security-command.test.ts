import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Program, run } from './running.ts';

let folder: string;

beforeEach(() => {
  // Inside the repository, so that the application finds its packages.
  folder = mkdtempSync(join(import.meta.dirname, '.security-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function security(body: string, ...argv: readonly string[]): Program {
  writeFileSync(
    join(folder, 'application.ts'),
    `import { createApplication } from '@waymark/server';\nexport const application = createApplication('shop');\n${body}\n`,
  );
  return run(['apps/server/bin/waymark.js', 'security', ...argv], {
    cwd: folder,
    env: { SHOP_KEY: 'a'.repeat(20) },
  });
}

const open = `application.apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] }).post('/maps', {}, () => 1).cors(['*']);`;

describe('waymark security', () => {
  it('prints what is public, which limits hold, and each warning with its fix, and ends with 0', async () => {
    const program = security(open);
    expect(await program.ended()).toBe(0);
    const text = program.stdout();
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

  it('prints the same as JSON', async () => {
    const program = security(open, '--json');
    expect(await program.ended()).toBe(0);
    expect(JSON.parse(program.stdout())).toMatchObject({
      auth_configured: true,
      cors: { origins: ['*'], credentials: false },
      security_headers: { enabled: true, frame_options: 'DENY', hsts_max_age: 31_536_000 },
    });
  });

  it('ends with 78 and the place of what is declared wrongly', async () => {
    const program = security(`application.cors('https://app.example.com');`);
    expect(await program.ended()).toBe(78);
    expect(program.stderr()).toMatch(
      /application\.ts:3 {2}cors: origins is not a list of texts; write \["https:\/\/app\.example\.com"\]/,
    );
    expect(program.stdout()).toBe('');
  });
});
