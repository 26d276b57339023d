import { testHost } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, createMemoryBackend, deviceHub } from '../src/index.ts';

describe('a look at a device that is idle', () => {
  // A microsecond on the machine this was written on, with 200 KB in the ring.
  it('costs two microseconds', async () => {
    const backend = createMemoryBackend({ keep: () => 1 });
    const hub = deviceHub([camera('door')], { backend });
    await hub.start?.(testHost());
    const bytes = new Uint8Array(200_000);
    await backend.publishFrame('door', { bytes, mediaType: 'image/png', atMs: 1 });
    await backend.publishTelemetry('door', { data: { lux: 3 }, atMs: 1 });
    const looks = 20_000;
    const rounds: number[] = [];
    for (let round = 0; round < 8; round++) {
      const before = process.cpuUsage();
      for (let i = 0; i < looks; i++) await hub.devices.look('door');
      const { user, system } = process.cpuUsage(before);
      rounds.push((user + system) / looks);
    }
    await hub.stop?.();
    expect(Math.min(...rounds)).toBeLessThan(3 * 2);
  });
});
