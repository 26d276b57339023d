import type { FrameRecord, TelemetryRecord } from '@waymark/contract/hub';
import { describe, expect, it } from 'vitest';
import { LastLook, toDigests } from '../../src/look/last-look.ts';

const frame = (text: string, seq = 1): FrameRecord => ({
  kind: 'frame',
  ...{ seq, mediaType: 'image/png', atMs: 0 },
  bytes: new TextEncoder().encode(text),
});
const telemetry = (data: TelemetryRecord['data']): TelemetryRecord => ({ kind: 'telemetry', data, atMs: 0 });

describe('LastLook', () => {
  it('finds everything new at first, and again when it forgot', () => {
    const look = new LastLook();
    const seen = { frame: frame('a') };
    expect(look.differs(seen)).toBe(true);
    look.keep(seen);
    expect(look.differs(seen)).toBe(false);
    look.forget();
    expect(look.differs(seen)).toBe(true);
  });

  it('tells other bytes from another number over the same bytes', () => {
    const look = new LastLook();
    look.keep({ frame: frame('a', 1) });
    expect(look.differs({ frame: frame('a', 2) })).toBe(false);
    expect(look.differs({ frame: frame('b', 3) })).toBe(true);
    // What was compared is no run: it is still the same change.
    expect(look.differs({ frame: frame('b', 3) })).toBe(true);
    expect(look.differs({ frame: frame('a', 4) })).toBe(false);
  });

  it('tells other readings, not another order of their members', () => {
    const look = new LastLook();
    look.keep({ telemetry: telemetry({ a: 1, b: [{ c: null, d: 'x' }] }) });
    expect(look.differs({ telemetry: telemetry({ b: [{ d: 'x', c: null }], a: 1 }) })).toBe(false);
    expect(look.differs({ telemetry: telemetry({ a: 1, b: [{ c: 0, d: 'x' }] }) })).toBe(true);
    expect(look.differs({ telemetry: telemetry([1, 2]) })).toBe(true);
  });

  it('takes a part that is not there for no change, and one that is there for the first time for one', () => {
    const look = new LastLook();
    look.keep({ frame: frame('a'), telemetry: telemetry(1) });
    expect(look.differs({})).toBe(false);
    expect(look.differs({ telemetry: telemetry(1) })).toBe(false);
    expect(look.differs({ frame: frame('b') })).toBe(true);
    look.keep({ frame: frame('a') });
    expect(look.differs({ frame: frame('a'), telemetry: telemetry(1) })).toBe(true);
  });

  it('goes on from digests as if it had seen the same itself', () => {
    const seen = { frame: frame('a'), telemetry: telemetry({ a: 1, b: 2 }) };
    const look = new LastLook();
    look.restore(toDigests(seen));
    expect(look.differs({ frame: frame('b'), telemetry: telemetry({ a: 1, b: 2 }) })).toBe(true);
    expect(look.differs({ frame: frame('a'), telemetry: telemetry({ a: 1, b: 3 }) })).toBe(true);
    expect(look.differs({ frame: frame('a', 9), telemetry: telemetry({ b: 2, a: 1 }) })).toBe(false);
    // Also once it has the records instead.
    expect(look.differs({ frame: frame('b'), telemetry: telemetry({ b: 2, a: 1 }) })).toBe(true);
    look.restore(toDigests({}));
    expect(look.differs(seen)).toBe(true);
  });
});
