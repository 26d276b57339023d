import { decodeMessages, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { EncodedFrame } from '../../src/stream/encoded-frame.ts';
import { frameRecord } from './stage.ts';

describe('EncodedFrame', () => {
  it('is a header and the picture, whole, in one buffer', () => {
    verifies('device.record.frame');
    const { full } = new EncodedFrame(frameRecord(3, 70_000, 12), 9);
    const [header, bytes, ...more] = decodeMessages(full.bytes);
    expect(header).toBe('{"type":"frame","seq":3,"media_type":"image/jpeg","bytes":70000,"at_ms":12}');
    expect(bytes).toEqual(new Uint8Array(70_000).fill(3));
    expect(more).toEqual([]);
    expect(full.messages).toBe(2);
  });

  it('says how large the picture is where that is known', () => {
    const { meta } = new EncodedFrame({ ...frameRecord(3, 1), width: 640, height: 480 }, 9);
    expect(JSON.parse(String(decodeMessages(meta.bytes)[0]))).toMatchObject({ width: 640, height: 480 });
  });

  it('is the header alone as meta, and holds no memory of the picture then', () => {
    const { meta } = new EncodedFrame(frameRecord(3, 70_000, 12), 9);
    expect(decodeMessages(meta.bytes)).toEqual([
      '{"type":"frame","seq":3,"media_type":"image/jpeg","bytes":70000,"at_ms":12}',
    ]);
    expect(meta.bytes.buffer.byteLength).toBeLessThan(200);
  });

  it('is encoded once in each form', () => {
    const frame = new EncodedFrame(frameRecord(3, 10), 9);
    expect(frame.full).toBe(frame.full);
    expect(frame.meta).toBe(frame.meta);
  });

  it.each(['full', 'meta'] as const)('asks for its receipt in the same buffer, as %s', (form) => {
    const { bytes, asking, receipt } = new EncodedFrame(frameRecord(3, 70_000), 9)[form];
    expect(receipt).toBe(9);
    expect(asking?.bytes.buffer).toBe(bytes.buffer);
    expect([...(asking?.bytes.subarray(bytes.length) ?? [])]).toEqual([0x89, 6, 0, 0, 0, 0, 0, 9]);
    expect(asking?.messages).toBe(form === 'full' ? 2 : 1);
  });
});
