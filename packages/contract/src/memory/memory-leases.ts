import { clockSkewMs, type Leases } from '../stores/stores.ts';

interface Lease {
  readonly holder: string;
  readonly fence: number;
  readonly endsMs: number;
}

interface Uses {
  /** When each use that still counts was made, oldest first. */
  readonly atMs: readonly number[];
  readonly endsMs: number;
}

/** How many keys are held before keys whose time is over are looked for. */
const sweepAt = 1_024;

/**
 * Leases and ceilings among the parts of this process. A restart forgets them, and gives every ceiling anew.
 *
 * Keys whose time is over are dropped once there are 1,024, so memory follows the keys in use. A key in use
 * is never dropped: that would give its lease away.
 */
export function memoryLeases(): Leases {
  const leases = new Map<string, Lease>();
  const ceilings = new Map<string, Uses>();
  // One counter for all keys: a fence stays greater than every earlier one, also after its key was dropped.
  let lastFence = 0;
  const usesOf = (key: string, sinceMs: number): readonly number[] =>
    (ceilings.get(key)?.atMs ?? []).filter((usedMs) => usedMs > sinceMs);
  return {
    async acquire(key, holder, ttlMs, nowMs) {
      const current = leases.get(key);
      const live = current && current.endsMs > nowMs ? current : undefined;
      // What is further ahead is of before the clock was set back: whoever is alive has renewed it.
      const isHeld = live && live.endsMs <= nowMs + ttlMs + clockSkewMs;
      if (isHeld && live.holder !== holder) return undefined;
      const fence = live?.holder === holder ? live.fence : ++lastFence;
      put(leases, key, { holder, fence, endsMs: nowMs + ttlMs }, nowMs);
      return { fence };
    },
    async release(key, holder) {
      if (leases.get(key)?.holder === holder) leases.delete(key);
    },
    async take(key, limit, windowMs, nowMs) {
      const atMs = usesOf(key, nowMs - windowMs).map((usedMs) =>
        // Of before the clock was set back: they count as made now.
        usedMs > nowMs + clockSkewMs ? nowMs : usedMs,
      );
      if (ceilings.has(key)) put(ceilings, key, { atMs, endsMs: nowMs + windowMs }, nowMs);
      if (atMs.length >= limit) return false;
      put(ceilings, key, { atMs: [...atMs, nowMs], endsMs: nowMs + windowMs }, nowMs);
      return true;
    },
    async used(key, windowMs, nowMs) {
      return usesOf(key, nowMs - windowMs).length;
    },
  };
}

function put<T extends { readonly endsMs: number }>(
  map: Map<string, T>,
  key: string,
  value: T,
  nowMs: number,
): void {
  if (!map.has(key) && map.size >= sweepAt)
    for (const [name, { endsMs }] of map) if (endsMs <= nowMs) map.delete(name);
  map.set(key, value);
}
