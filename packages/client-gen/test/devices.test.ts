import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRouteTable, media, toRoute } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toDevices } from '../src/devices.ts';
import { toClient } from '../src/index.ts';
import { deviceRoutes, yardTable } from './device-table.ts';
import { expectClean } from './expect-clean.ts';
import { richTable } from './rich-table.ts';

const yard = (): string => toClient(yardTable(), { title: 'Yard' });
const socket = { kind: 'device', accept: () => {} } as const;
const ofDevice = (device: string) => ({ socket: true, facts: { device } });

describe('toDevices', () => {
  it('finds each device by its two sockets', () => {
    expect(toDevices(yardTable())).toEqual([
      { name: 'door', path: '/devices/door', camera: true },
      { name: 'rain-gauge', path: '/devices/rain-gauge', camera: false },
    ]);
  });

  it('takes no other sockets for devices', () => {
    const table = createRouteTable([
      toRoute('GET', '/devices/half/stream', socket, ofDevice('half')),
      toRoute('GET', '/devices/plain/stream', socket, { facts: { device: 'plain' } }),
      toRoute('GET', '/devices/plain/ws', socket, ofDevice('plain')),
      toRoute('GET', '/devices/{any}/stream', socket, { socket: true }),
      toRoute('GET', '/devices/{any}/ws', socket, { socket: true }),
      toRoute('GET', '/chat/stream', { kind: 'handler', accept: () => {} }, { socket: true }),
      toRoute('GET', '/chat/ws', { kind: 'handler', accept: () => {} }, { socket: true }),
    ]);
    expect(toDevices(table)).toEqual([]);
  });

  it('gives a device named as no member may be a suffix', () => {
    const routes = ['stream', 'ws'].map((end) =>
      toRoute('GET', `/devices/then/${end}`, socket, ofDevice('then')),
    );
    const names = toDevices(createRouteTable(routes)).map(({ name }) => name);
    expect(names).toEqual([expect.stringMatching(/^then_\w{6}$/)]);
  });

  it('tells devices of one name apart, whichever comes first', () => {
    const both = ['/a/door', '/b/door'].flatMap((path) =>
      ['stream', 'ws'].map((end) => toRoute('GET', `${path}/${end}`, socket, ofDevice('door'))),
    );
    const names = toDevices(createRouteTable(both)).map(({ name }) => name);
    expect(names).toEqual(['door', expect.stringMatching(/^door_\w{6}$/)]);
  });
});

describe('the device part of a client', () => {
  it('is not there without a device', () => {
    const source = toClient(richTable(), { title: 'Rich' });
    expect(source).not.toMatch(/WebSocket|LastingSocket|CameraClient|devices/);
  });

  it('is the same each time, and costs a device two lines', () => {
    verifies('client.deterministic');
    expect(yard()).toBe(yard());
    const lines = (source: string): readonly string[] => source.split('\n');
    const sockets = [...deviceRoutes('gate')].filter((route) => route.socket);
    const more = toClient([...yardTable(), ...sockets], { title: 'Yard' });
    const before = lines(yard());
    expect(lines(more).filter((line) => !before.includes(line))).toEqual([
      '    readonly gate: SensorClient;',
      "      gate: device('/devices/gate'),",
    ]);
  });

  it('leaves the other routes of a device to ordinary methods: bytes in, bytes out', () => {
    expect(yard()).toMatch(/createDevicesDoorFrames\(\s*input\?: CreateDevicesDoorFramesInput,/);
    expect(yard()).toContain('  readonly body?: BinaryBody | undefined;\n');
    expect(yard()).toContain('export type GetDevicesDoorLatestOutput = Uint8Array;\n');
  });

  it('has no methods for pages and moving pictures', () => {
    expect(yard()).not.toMatch(/mjpeg|view/i);
    const report = toRoute('GET', '/report', { kind: 'handler' }, { output: media('text/html') });
    expect(toClient([report], { title: 'x' })).toContain('getReport(');
  });

  it('compiles under the strictest settings, is formatted, and its types hold', async () => {
    verifies('client.devices', 'client.typed');
    await expectClean(yard(), `${usage}\n${readmeUsage()}`);
  }, 60_000);
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
