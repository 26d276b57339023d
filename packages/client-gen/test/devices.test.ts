import { createRouteTable, media, toRoute } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toDevices } from '../src/devices.ts';
import { toClient } from '../src/index.ts';
import { deviceRoutes, yardTable } from './device-table.ts';
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
});
