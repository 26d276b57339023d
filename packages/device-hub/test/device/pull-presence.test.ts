import type { DeviceStatus } from '@waymark/contract/hub';
import { fixedClock, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { PullPresence } from '../../src/device/pull-presence.ts';

function follow() {
  const clock = fixedClock();
  const changes: DeviceStatus[] = [];
  const thresholds = { staleAfterMs: 10_000, offlineAfterMs: 60_000 };
  const presence = new PullPresence(thresholds, clock.monotonic, (status) => changes.push(status));
  return { clock, changes, presence };
}

describe('PullPresence', () => {
  it('is offline until the first picture, and online with it, however often it failed before', () => {
    verifies('hub.pull.presence');
    const { presence, changes } = follow();
    presence.missed();
    presence.missed();
    expect(presence.status).toBe('offline');
    presence.heard();
    expect(changes).toEqual(['online']);
  });

  it('stays as it is while nobody asks', async () => {
    verifies('hub.pull.presence');
    const { presence, clock } = follow();
    presence.heard();
    await clock.advance(3_600_000);
    expect(presence.status).toBe('online');
    expect(clock.pending).toBe(0);
  });

  it('does not flicker for one pull that fails', async () => {
    verifies('hub.pull.presence', 'hub.presence');
    const { presence, clock, changes } = follow();
    for (let i = 0; i < 10; i++) {
      presence.heard();
      await clock.advance(1_000);
      presence.missed();
      await clock.advance(1_000);
    }
    expect(changes).toEqual(['online']);
  });

  it('is stale with the second failure or after a long time, and offline once it has failed for long', async () => {
    verifies('hub.pull.presence');
    const { presence, clock, changes } = follow();
    presence.heard();
    presence.missed();
    presence.missed();
    expect(presence.status).toBe('stale');
    await clock.advance(59_999);
    presence.missed();
    expect(presence.status).toBe('stale');
    await clock.advance(1);
    presence.missed();
    expect(presence.status).toBe('offline');
    presence.heard();
    expect(presence.status).toBe('stale');
    presence.heard();
    expect(presence.status).toBe('online');
    await clock.advance(10_000);
    presence.missed();
    expect(changes).toEqual(['online', 'stale', 'offline', 'stale', 'online', 'stale']);
  });
});
