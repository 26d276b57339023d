import type { AuditPlace } from '@waymark/contract/stores';

/** Writes a place as the id of an event: its number, by which events are in order, and what stands there. */
export function toEventId({ n, id }: AuditPlace): string {
  return `${n}-${id}`;
}

/** Reads a `Last-Event-ID`. @returns undefined for an id of something else */
export function toPlace(eventId: string): AuditPlace | undefined {
  const [, n, id] = /^(\d{1,15})-([\w-]{0,64})$/.exec(eventId) ?? [];
  return n === undefined || id === undefined ? undefined : { n: Number(n), id };
}
