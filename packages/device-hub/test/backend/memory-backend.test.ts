import type { FrameRecord } from '@waymark/contract/hub';
import { hubBackendCases, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryBackend } from '../../src/backend/memory-backend.ts';

function frame(bytes: Uint8Array, atMs = 0): Omit<FrameRecord, 'kind' | 'seq'> {
  return { mediaType: 'image/jpeg', bytes, atMs };
}

function seqs(frames: readonly FrameRecord[]): readonly number[] {
  return frames.map(({ seq }) => seq);
}

describe('createMemoryBackend', () => {
  it.each(hubBackendCases)('$name', async ({ run }) => {
    verifies('scale.machines.one-suite');
    await run(createMemoryBackend({ keep: () => 8 }));
  });

  it('holds the newest frames of each device, as many as it is to keep', async () => {
    const backend = createMemoryBackend({ keep: (device) => (device === 'door' ? 3 : 1) });
    for (let i = 0; i < 3; i++) await backend.publishFrame('door', frame(new Uint8Array(10)));
    expect(seqs(await backend.recent('door'))).toEqual([1, 2, 3]);
    await backend.publishFrame('door', frame(new Uint8Array(10)));
    expect(seqs(await backend.recent('door'))).toEqual([2, 3, 4]);
    await backend.publishFrame('yard', frame(new Uint8Array(10)));
    await backend.publishFrame('yard', frame(new Uint8Array(10)));
    expect(seqs(await backend.recent('yard'))).toEqual([2]);
    expect(await backend.recent('attic')).toEqual([]);
  });

  it('says what the frames of a device, and of all, take', async () => {
    const backend = createMemoryBackend({ keep: () => 2 });
    await backend.publishFrame('door', frame(new Uint8Array(100)));
    await backend.publishFrame('door', frame(new Uint8Array(10)));
    await backend.publishFrame('yard', frame(new Uint8Array(5)));
    expect([backend.ringBytes('door'), backend.ringBytes('yard'), backend.ringBytes('attic')]).toEqual([
      110, 5, 0,
    ]);
    expect(backend.bytes).toBe(115);
    await backend.publishFrame('door', frame(new Uint8Array(1)));
    expect(backend.ringBytes('door')).toBe(11);
    expect(backend.bytes).toBe(16);
  });

  it('hands on the same record that it keeps', async () => {
    const backend = createMemoryBackend({ keep: () => 1 });
    const told: unknown[] = [];
    backend.subscribe('door', (record) => told.push(record));
    await backend.publishFrame('door', frame(new Uint8Array(10)));
    expect(told[0]).toBe(await backend.newest('door'));
  });

  it.each([
    {
      name: 'keeps bytes that fill more than half of their buffer where they are',
      length: 33,
      copied: false,
    },
    { name: 'keeps bytes that fill half of their buffer where they are', length: 32, copied: false },
    { name: 'copies bytes out of a buffer more than twice as large', length: 31, copied: true },
  ])('$name', async ({ length, copied }) => {
    const backend = createMemoryBackend({ keep: () => 1 });
    const chunk = new Uint8Array(64).fill(7);
    await backend.publishFrame('door', frame(chunk.subarray(8, 8 + length)));
    const kept = (await backend.newest('door'))?.bytes;
    expect(kept?.buffer === chunk.buffer).toBe(!copied);
    expect(kept).toEqual(new Uint8Array(length).fill(7));
    expect(backend.ringBytes('door')).toBe(copied ? length : 64);
  });

  it.each([
    { name: 'gives up nothing under its memory limit', memoryBytes: 41, door: [1, 2], yard: [1, 2] },
    { name: 'gives up nothing at its memory limit', memoryBytes: 40, door: [1, 2], yard: [1, 2] },
    { name: 'gives up the oldest frame of all over it', memoryBytes: 39, door: [1, 2], yard: [2] },
    { name: 'gives up as many as it takes', memoryBytes: 20, door: [2], yard: [2] },
    { name: 'never gives up the newest frame of a device', memoryBytes: 0, door: [2], yard: [2] },
  ])('$name', async ({ memoryBytes, door, yard }) => {
    const backend = createMemoryBackend({ keep: () => 8, memoryBytes });
    await backend.publishFrame('yard', frame(new Uint8Array(10), 1));
    await backend.publishFrame('door', frame(new Uint8Array(10), 2));
    await backend.publishFrame('door', frame(new Uint8Array(10), 3));
    await backend.publishFrame('yard', frame(new Uint8Array(10), 4));
    expect(seqs(await backend.recent('door'))).toEqual(door);
    expect(seqs(await backend.recent('yard'))).toEqual(yard);
    expect(backend.bytes).toBe(10 * (door.length + yard.length));
  });

  it('gives up what came first, whatever time it shows', async () => {
    const backend = createMemoryBackend({ keep: () => 8, memoryBytes: 30 });
    await backend.publishFrame('yard', frame(new Uint8Array(10), 3_600_001));
    await backend.publishFrame('yard', frame(new Uint8Array(10), 3_600_002));
    // The clock was set back.
    await backend.publishFrame('door', frame(new Uint8Array(10), 1));
    await backend.publishFrame('door', frame(new Uint8Array(10), 2));
    expect(seqs(await backend.recent('yard'))).toEqual([2]);
    expect(seqs(await backend.recent('door'))).toEqual([1, 2]);
  });

  it('holds nothing once it is closed', async () => {
    const backend = createMemoryBackend({ keep: () => 8 });
    await backend.publishFrame('door', frame(new Uint8Array(10)));
    await backend.close();
    expect(backend.bytes).toBe(0);
    expect(await backend.newest('door')).toBeUndefined();
  });
});
