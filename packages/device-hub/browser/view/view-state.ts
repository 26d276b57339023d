import type { Presence } from '@waymark/client-gen/runtime';
import type { PageState } from '../shell/page-state.ts';

/** What the state of a live view follows from. */
export interface ViewFacts {
  readonly connected: boolean;
  readonly paused: boolean;
  readonly kind: 'camera' | 'sensor' | undefined;
  /** As the hub says. */
  readonly status: Presence | undefined;
  /** Of the picture that is shown; undefined while there is none. */
  readonly ageMs: number | undefined;
  /** Of the newest reading, where somebody said it. */
  readonly readingAgeMs: number | undefined;
  /** Between two pictures; undefined until there are two. */
  readonly gapMs: number | undefined;
}

/** A state, and the word for it. */
export interface ViewState {
  readonly state: PageState;
  readonly text: string;
}

const shortestStaleMs = 2_000;
const longestStaleMs = 10_000;

/**
 * Decides what the badge says. A picture that stands still is stale after two seconds, or three times as long as pictures
 * took to come lately, whatever the hub and the connection say: it must not look as if it were live.
 */
export function toViewState(facts: ViewFacts): ViewState {
  const { connected, paused, kind, status, ageMs } = facts;
  if (paused) return { state: 'paused', text: 'Paused' };
  if (!connected || kind === undefined || status === undefined)
    return { state: 'connecting', text: ageMs === undefined ? 'Connecting' : 'Connecting again' };
  // Of a device that was silent the hub waits for a second word; what is to be seen is to be seen.
  if (kind === 'camera' ? hasNewPicture(facts) : hasNewReading(facts)) return { state: 'live', text: 'Live' };
  if (status === 'offline') return { state: 'offline', text: 'Offline' };
  if (status === 'stale') return { state: 'stale', text: 'Stale' };
  if (kind === 'sensor') return { state: 'live', text: 'Live' };
  // Readings come, and pictures may follow.
  if (ageMs === undefined) return { state: 'connecting', text: 'Waiting for a picture' };
  return { state: 'stale', text: 'Stale' };
}

/** Whether a picture passes for what is to be seen now. */
function hasNewPicture({ ageMs, gapMs = 0 }: ViewFacts): boolean {
  if (ageMs === undefined) return false;
  return ageMs <= Math.min(longestStaleMs, Math.max(shortestStaleMs, 3 * gapMs));
}

function hasNewReading({ readingAgeMs }: ViewFacts): boolean {
  return readingAgeMs !== undefined && readingAgeMs <= longestStaleMs;
}
