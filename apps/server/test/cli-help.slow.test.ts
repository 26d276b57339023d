import { describe, expect, it } from 'vitest';
import { applicationText, inFolder } from './command-line.ts';
import { run } from './running.ts';

describe('the help of the command line', () => {
  it('is plain text where no terminal reads it, whatever the terminal is called', async () => {
    const program = run(['apps/server/bin/waymark.js', '--help'], { env: { FORCE_COLOR: '1' } });
    expect(await program.ended()).toBe(0);
    expect(program.stdout()).toContain('COMMANDS');
    expect(program.stdout()).not.toContain('\u001b');
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
