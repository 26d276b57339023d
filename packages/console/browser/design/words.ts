/** How long something took or takes, in as few words as will do. */
export function toDuration(ms: number): string {
  if (ms < 1) return '0 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const secs = Math.round(ms / 1_000);
  if (secs < 3_600) return `${Math.floor(secs / 60)} min ${two(secs % 60)} s`;
  const mins = Math.round(ms / 60_000);
  if (mins < 1_440) return `${Math.floor(mins / 60)} h ${two(mins % 60)} min`;
  return `${Math.floor(mins / 1_440)} d ${Math.floor((mins % 1_440) / 60)} h`;
}

/** How long ago something was; what is less than a second away is now. */
export function toAgo(ms: number): string {
  const away = Math.abs(ms);
  if (away < 1_000) return 'now';
  const words = toRough(away);
  return ms < 0 ? `in ${words}` : `${words} ago`;
}

/** A duration in its largest unit. */
export function toRough(ms: number): string {
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.floor(ms / 3_600_000)} h`;
  return `${Math.floor(ms / 86_400_000)} days`;
}

/** A moment with its day and zone, for titles: `26 Nov 2026, 23:41:02 UTC`. */
export function toMoment(atMs: number, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
    ...(timeZone !== undefined && { timeZone }),
  }).format(atMs);
}

/** A count with its thousands apart. */
export function toCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A count in three characters and a unit, for narrow columns: `12.3k`. */
export function toShortCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${(count / 1_000).toFixed(count < 99_950 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Money as it is spent on models; null where one of them has no price. */
export function toUsd(usd: number | null): string {
  if (usd === null) return 'no price';
  if (usd === 0) return '$0.00';
  if (usd < 0.000_1) return '<$0.0001';
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** A size as people say it. */
export function toBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1_000).toFixed(bytes < 99_950 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `1 run`, `2 runs`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${toCount(count)} ${count === 1 ? one : many}`;
}

function two(count: number): string {
  return String(count).padStart(2, '0');
}
