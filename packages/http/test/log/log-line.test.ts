import { describe, expect, it } from 'vitest';
import { toLogLine } from '../../src/log/log-line.ts';

const line = (fields?: Parameters<typeof toLogLine>[3]): unknown =>
  JSON.parse(toLogLine('info', '2026-01-01T00:00:00.000Z', 'said', fields));

const around = { level: 'info', time: '2026-01-01T00:00:00.000Z', msg: 'said' };

describe('toLogLine', () => {
  it('stands around the fields, if there are any that JSON has', () => {
    expect(line()).toEqual(around);
    expect(line({ nothing: undefined })).toEqual(around);
    expect(line({ path: '/"a"\n', bytes: 0 })).toEqual({ ...around, path: '/"a"\n', bytes: 0 });
  });

  it('shows what JSON cannot hold as text, and keeps the other fields', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(line({ request_id: '1', circle, big: 1n })).toEqual({
      ...around,
      request_id: '1',
      circle: expect.stringContaining('[Circular') as string,
      big: '1n',
    });
  });

  it('cuts long texts where the line would be longer than 65,536 characters', () => {
    const long = 'x'.repeat(60_000);
    expect(line({ long })).toEqual({ ...around, long });
    const cut = `${'x'.repeat(8_192)}… (60000 characters)`;
    const fits = 'y'.repeat(8_192);
    expect(line({ long, fits, deep: { long } })).toEqual({ ...around, long: cut, fits, deep: { long: cut } });
    const { length } = toLogLine('fatal', '', '', { error: new Error('x'.repeat(10_000_000)) });
    expect(length).toBeLessThan(65_536);
  });

  it('writes any error: one that is frozen, or holds what JSON cannot', () => {
    const frozen = Object.freeze(new Error('frozen'));
    expect(line({ error: frozen })).toMatchObject({ error: expect.stringContaining('frozen') as string });
    const odd = Object.assign(new Error('odd'), { big: 1n });
    expect(line({ error: odd })).toMatchObject({ error: expect.stringContaining('odd') as string });
  });
});
