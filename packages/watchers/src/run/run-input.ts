import type { Json, Route, Values } from '@waymark/contract';
import type { FrameRecord } from '@waymark/contract/hub';
import type { Seen } from '../look/last-look.ts';

/** What an agent is given: the prompt, a blank line and the newest reading as JSON, and the picture (decision 9.5). */
export function toRunInput(prompt: string, { frame, telemetry }: Seen): Values {
  const input = telemetry ? `${prompt}\n\n${JSON.stringify(telemetry.data satisfies Json)}` : prompt;
  return { input, ...(frame && { images: [toImage(frame)] }) };
}

/** Takes 5 ms for 5 MB: once for each run. */
function toImage({ mediaType, bytes }: FrameRecord): Values {
  const { buffer, byteOffset, byteLength } = bytes;
  return { media_type: mediaType, data: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
}

/** Whether an agent can be given pictures at all. */
export function takesImages({ inputSchema }: Pick<Route, 'inputSchema'>): boolean {
  return membersOf(inputSchema)['images'] !== undefined;
}

/** The most characters that an agent can be asked. */
export function maxInputLength({ inputSchema }: Pick<Route, 'inputSchema'>): number {
  const { maxLength } = (membersOf(inputSchema)['input'] ?? {}) as { readonly maxLength?: number };
  return maxLength ?? Number.POSITIVE_INFINITY;
}

function membersOf(schema: object): Readonly<Record<string, unknown>> {
  return (schema as { readonly properties?: Readonly<Record<string, unknown>> }).properties ?? {};
}
