import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createLog, type LogOptions } from '../../src/index.ts';

function logTo(options: Omit<LogOptions, 'destination'>) {
  const lines: string[] = [];
  const log = createLog({ ...options, destination: { write: (line) => lines.push(line) } });
  return { log, lines };
}

describe('createLog', () => {
  it('writes one JSON object a line', () => {
    const { log, lines } = logTo({ level: 'info' });
    log('info', 'request', { method: 'GET', status: 200, route: undefined });
    log('warn', 'careful');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        method: 'GET',
        status: 200,
        msg: 'request',
      },
      { level: 'warn', time: expect.any(String) as string, msg: 'careful' },
    ]);
    expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
  });

  it('leaves out what is less serious than its level', () => {
    const { log, lines } = logTo({ level: 'warn' });
    for (const level of ['debug', 'info', 'warn', 'error', 'fatal'] as const) log(level, level);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'warn',
      'error',
      'fatal',
    ]);
    const last = logTo({ level: 'fatal' });
    for (const level of ['error', 'fatal'] as const) last.log(level, level);
    expect(last.lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['fatal']);
    const silent = logTo({ level: 'silent' });
    silent.log('error', 'never');
    expect(silent.lines).toEqual([]);
  });

  it('writes errors with stack and cause, and whatever else was thrown', () => {
    const { log, lines } = logTo({ level: 'info' });
    log('error', 'failed', { error: new TypeError('outer', { cause: new Error('inner') }) });
    log('error', 'failed', { error: 'thrown text' });
    const [first, second] = lines.map((line) => JSON.parse(line) as { error: unknown });
    expect(first?.error).toMatchObject({
      type: 'TypeError',
      message: 'outer',
      stack: expect.stringContaining('create-log.test') as string,
      cause: { message: 'inner' },
    });
    expect(second?.error).toBe('thrown text');
  });

  it('keeps a line one line, whatever a caller put into it', () => {
    const { log, lines } = logTo({ level: 'info' });
    log('info', 'request', { path: '/a\n{"level":"error"}\u001b[31m' });
    expect(lines.join('').split('\n')).toHaveLength(2);
    expect(lines[0]).not.toContain('\u001b');
  });

  it('writes to standard output unless told otherwise, the last lines too', () => {
    const source = `import { createLog } from '${new URL('../../src/index.ts', import.meta.url).href}';
      const log = createLog({ level: 'info' });
      for (let i = 0; i < 1000; i++) log('info', String(i));
      process.exit(0);`;
    const { stdout } = spawnSync(
      process.execPath,
      ['--conditions=@waymark/source', '--input-type=module', '-e', source],
      { encoding: 'utf8', cwd: import.meta.dirname },
    );
    expect(stdout.trim().split('\n')).toHaveLength(1000);
  });
});

describe('pretty lines', () => {
  it('are for people', () => {
    const { log, lines } = logTo({ level: 'info', pretty: true });
    log('info', 'request', { method: 'GET', path: '/a b', status: 200, note: undefined });
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d info {2}request method=GET path="\/a b" status=200\n$/);
  });

  it('show the stack of an error below', () => {
    const { log, lines } = logTo({ level: 'info', pretty: true });
    log('error', 'failed', { error: new Error('why') });
    log('error', 'failed', { error: 'only text' });
    expect(lines[0]).toMatch(/ error failed\n {4}Error: why\n {8}at /);
    expect(lines[1]).toMatch(/ error failed\n {4}only text\n$/);
  });

  it('let nobody write into the terminal', () => {
    const { log, lines } = logTo({ level: 'info', pretty: true });
    log('info', 'a\u001b[2J', { path: '/x\r\n\u001b[31m\u009b\u2028\u202e\u200b', id: 'a"b=c' });
    const text = lines.join('');
    expect(text.split('\n')).toHaveLength(2);
    expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
    expect(text).toContain('id="a\\"b=c"');
  });
});
