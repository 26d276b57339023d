import type { DeviceStatus } from '@waymark/contract/hub';
import { fixedClock } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Presence } from '../../src/device/presence.ts';

const thresholds = { staleAfterMs: 10_000, offlineAfterMs: 60_000 };

function follow() {
  const clock = fixedClock();
  const changes: DeviceStatus[] = [];
  const presence = new Presence(thresholds, clock, (status) => changes.push(status));
  return { clock, changes, presence, hear: () => presence.heard() };
}

describe('Presence', () => {
  it('is offline before the device spoke, and online with its first word', () => {
    const { presence, hear, changes } = follow();
    expect(presence.status).toBe('offline');
    hear();
    expect(presence.status).toBe('online');
    expect(changes).toEqual(['online']);
  });

  it('turns stale, then offline, each at its time', async () => {
    const { presence, clock, hear, changes } = follow();
    hear();
    await clock.advance(9_999);
    expect(presence.status).toBe('online');
    await clock.advance(1);
    expect(presence.status).toBe('stale');
    await clock.advance(49_999);
    expect(presence.status).toBe('stale');
    await clock.advance(1);
    expect(presence.status).toBe('offline');
    expect(changes).toEqual(['online', 'stale', 'offline']);
  });

  it('does not notice short pauses', async () => {
    const { clock, hear, changes } = follow();
    for (let i = 0; i < 10; i++) {
      hear();
      await clock.advance(9_000);
    }
    expect(changes).toEqual(['online']);
  });

  it('counts silence from the last word', async () => {
    const { presence, clock, hear } = follow();
    hear();
    await clock.advance(8_000);
    hear();
    await clock.advance(9_999);
    expect(presence.status).toBe('online');
    await clock.advance(1);
    expect(presence.status).toBe('stale');
  });

  it('is online again with the second word in time', async () => {
    const { presence, clock, hear, changes } = follow();
    hear();
    await clock.advance(60_000);
    hear();
    expect(presence.status).toBe('stale');
    await clock.advance(100);
    hear();
    expect(changes).toEqual(['online', 'stale', 'offline', 'stale', 'online']);
  });

  it('does not flicker for a device that speaks now and then', async () => {
    const { clock, hear, changes } = follow();
    for (let i = 0; i < 50; i++) {
      hear();
      await clock.advance(15_000);
    }
    expect(changes).toEqual(['online', 'stale']);
  });

  it('has one timer, and none once it is offline or stopped', async () => {
    const { presence, clock, hear } = follow();
    for (let i = 0; i < 100; i++) hear();
    expect(clock.pending).toBe(1);
    await clock.advance(10_000);
    for (let i = 0; i < 2; i++) hear();
    expect(clock.pending).toBe(1);
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
    hear();
    presence.stop();
    expect(clock.pending).toBe(0);
  });
});
