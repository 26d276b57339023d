import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { applicationText, desk, inFolder } from './command-line.ts';
import { run } from './running.ts';

describe('the commands that only look', () => {
  it('end although the application keeps a timer running', async () => {
    const folder = inFolder({ 'application.ts': `${desk}setInterval(() => {}, 1000);\n` });
    const program = run(['apps/server/bin/waymark.js', 'routes', '--json'], { cwd: folder });
    expect(await program.ended()).toBe(0);
    expect(JSON.parse(program.stdout())).toMatchObject({ routes: expect.any(Array) as unknown });
  });

  it('print everything into a pipe that is read slowly', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `application.get('/r${i}', () => ${i});`).join('\n');
    const folder = inFolder({ 'application.ts': applicationText(many) });
    const bin = new URL('../bin/waymark.js', import.meta.url).pathname;
    const out = execFileSync(
      'sh',
      [
        ...['-c', '"$0" --conditions=@waymark/source "$1" openapi | (sleep 0.5; cat)'],
        ...[process.execPath, bin],
      ],
      { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 },
    );
    expect(out.length).toBeGreaterThan(200_000);
    expect(Object.keys((JSON.parse(out) as { paths: object }).paths)).toContain('/r299');
  });
});
