import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toClient } from '../src/index.ts';
import { yardTable } from './device-table.ts';
import { expectClean } from './expect-clean.ts';

const yard = (): string => toClient(yardTable(), { title: 'Yard' });

describe('the device part of a client', () => {
  it('compiles under the strictest settings, is formatted, and its types hold', async () => {
    verifies('client.devices', 'client.typed');
    await expectClean(yard(), `${usage}\n${readmeUsage()}`);
  });
});

/** The program of the README, and what it takes for granted. */
function readmeUsage(): string {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const [, program = ''] = /## Devices[\s\S]*?```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(program).toContain('yard.devices.door.publish');
  const given =
    'yard: typeof client, signal: AbortSignal, show: (image: Uint8Array, type: string) => void, jpeg: Uint8Array';
  return `export async function readme(${given}): Promise<void> {\n${program}}\n`;
}

/** What users write, and what the compiler must not let them. */
const usage = `
import { WebSocket as Undici } from 'undici';
import { WebSocket as Ws } from 'ws';
import { type CameraPublisher, createClient, type DeviceEvent, SocketError, type SocketState } from './client.ts';

const client = createClient({ baseUrl: 'https://example.com', WebSocket });
createClient({ baseUrl: '', WebSocket: Ws });
createClient({ baseUrl: '', WebSocket: Undici });

const { door, 'rain-gauge': gauge } = client.devices;
for await (const event of door.stream({ fps: 5, signal: AbortSignal.timeout(1) })) {
  if (event.type === 'hello') for (const { output } of event.insights) void [output.length, event.device.max_fps, event.status === 'stale'];
  if (event.type === 'frame') void new Blob([new Uint8Array(event.bytes)], { type: event.media_type });
  if (event.type === 'lagged') void event.skipped.toFixed();
}
for await (const event of door.stream({ frames: 'meta' })) if (event.type === 'frame') void event.bytes.toFixed();
export async function* either(frames: 'full' | 'meta'): AsyncGenerator<number | Uint8Array> {
  for await (const event of door.stream({ frames })) if (event.type === 'frame') yield event.bytes;
}
const first: DeviceEvent | undefined = (await door.stream().next()).value;
const publisher: CameraPublisher = door.publish({ onError: (message) => void message.length });
const sent: boolean = publisher.frame(new Uint8Array(1)) || publisher.telemetry({ light: 1 });
const onState = (state: SocketState, error?: Error): boolean => state === 'closed' && error instanceof SocketError && error.code === 4403;
const reading: boolean = gauge.publish({ onState: (...told) => void onState(...told) }).telemetry({ mm: 3 });
const bytes: Uint8Array = await client.getDevicesDoorLatest();
const { seq }: { readonly seq: number } = await client.createDevicesDoorFrames({ body: bytes, contentType: 'image/png' });
export const all = [first, publisher.dropped, publisher.maxFps, sent, reading, seq];

export function wrong(): void {
  // @ts-expect-error there is no such device
  void client.devices.dor;
  // @ts-expect-error a sensor takes no frames
  gauge.publish().frame(bytes);
  // @ts-expect-error a sensor has no frames to leave out
  gauge.stream({ frames: 'meta' });
  // @ts-expect-error full or meta
  door.stream({ frames: 'none' });
  // @ts-expect-error a frame is bytes
  publisher.frame('bytes');
  // @ts-expect-error a reading is an object
  publisher.telemetry(7);
  // @ts-expect-error the state is the socket's
  publisher.state = 'open';
}
`;
