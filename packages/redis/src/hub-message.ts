import type { Json } from '@waymark/contract';
import type {
  DeviceReport,
  DeviceStatus,
  FrameRecord,
  HubRecord,
  Insight,
  TelemetryRecord,
} from '@waymark/contract/hub';

/**
 * What goes over the channel of a device: one letter and JSON; for a frame one letter, its number and a line of JSON about it,
 * while its bytes come right behind it over a channel of their own. What is kept of a frame has the same number and line.
 */
export const kinds = { frame: 'F', telemetry: 'T', status: 'S', insight: 'I' } as const;

/** The line about a frame that is published. */
export function frameHead({ mediaType, atMs, width, height }: Omit<FrameRecord, 'kind' | 'seq'>): string {
  return JSON.stringify({ mediaType, atMs, width, height });
}

/** What came over a channel: a record, or the line of a frame whose bytes are still to come. */
export type HubMessage = HubRecord | { readonly kind: 'head'; readonly text: string };

/** Reads what came over a channel; undefined where it is none of ours. */
export function parseMessage(message: Buffer): HubMessage | undefined {
  const kind = String.fromCharCode(message[0] ?? 0);
  if (kind === kinds.frame) return { kind: 'head', text: message.toString('utf8', 1) };
  const value = parseJson(message.toString('utf8', 1));
  if (kind === kinds.telemetry) return toTelemetry(value);
  if (kind === kinds.status) return toStatus(value);
  return kind === kinds.insight ? toInsight(value) : undefined;
}

/** Reads a frame by what is said of it: its number, and the line about it. */
export function parseHead(text: string, bytes: Uint8Array): FrameRecord | undefined {
  const numberEnds = text.indexOf('\n');
  const seq = Number(text.slice(0, numberEnds));
  const head = text.slice(numberEnds + 1);
  const { mediaType, atMs, width, height } = toMembers(parseJson(head));
  if (!Number.isSafeInteger(seq) || seq < 1) return undefined;
  if (typeof mediaType !== 'string' || !/^image\/[a-z]+$/.test(mediaType) || !isNumber(atMs))
    return undefined;
  return {
    ...{ kind: 'frame', seq, mediaType, bytes, atMs },
    ...(isNumber(width) && { width }),
    ...(isNumber(height) && { height }),
  };
}

/** Reads a reading that is kept. */
export function parseTelemetry(text: string): TelemetryRecord | undefined {
  return toTelemetry(parseJson(text));
}

/** Reads what a process has said of a device. */
export function parseReport(text: string): DeviceReport | undefined {
  const { status, framesIn, framesDropped, bytesIn, fps, subscribers } = toMembers(parseJson(text));
  if (!isStatus(status)) return undefined;
  if (!isNumber(framesIn) || !isNumber(framesDropped) || !isNumber(bytesIn)) return undefined;
  if (!isNumber(fps) || !isNumber(subscribers)) return undefined;
  return { status, framesIn, framesDropped, bytesIn, fps, subscribers };
}

function toTelemetry(value: unknown): TelemetryRecord | undefined {
  const { data, atMs } = toMembers(value);
  // It was parsed from JSON.
  return data !== undefined && isNumber(atMs) ? { kind: 'telemetry', data: data as Json, atMs } : undefined;
}

function toStatus(value: unknown): HubRecord | undefined {
  const { status, atMs } = toMembers(value);
  return isStatus(status) && isNumber(atMs) ? { kind: 'status', status, atMs } : undefined;
}

function toInsight(value: unknown): HubRecord | undefined {
  const { type, device, watcher, run_id } = toMembers(value);
  if (type !== 'insight') return undefined;
  const named = [device, watcher, run_id].every((member) => typeof member === 'string');
  // Processes of one release write and read it; readers take the rest of it as it is.
  return named ? { kind: 'insight', insight: value as Insight } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever asks takes it for none of ours.
    return undefined;
  }
}

function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isStatus(value: unknown): value is DeviceStatus {
  return value === 'online' || value === 'stale' || value === 'offline';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
