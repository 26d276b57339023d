import type { Json } from '@waymark/contract';
import type { LookDigests } from '../look/last-look.ts';

/** What a watcher finds again with a run that it began, also in another process. */
export type WatchMemo = {
  readonly watcher: string;
  readonly device: string;
  readonly agent: string;
  /** Of the frame that was looked at; null without one. */
  readonly seq: number | null;
  readonly look: LookDigests;
  /** Opens the picture for whoever is sent the insight; null without one. */
  readonly token: string | null;
};

/** Reads what was kept with a run; undefined of one that somebody else began, or an earlier release. */
export function readMemo(memo: Json): WatchMemo | undefined {
  const value = memo as Partial<WatchMemo> | null;
  const texts = [value?.watcher, value?.device, value?.agent];
  if (!texts.every((text) => typeof text === 'string') || typeof value?.look !== 'object') return undefined;
  // Written by `toMemo` alone, as the kind of its members shows.
  return value as WatchMemo;
}
