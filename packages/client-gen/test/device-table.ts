import { createRouteTable, media, type Route, type RouteTable, Type, toRoute } from '@waymark/contract';

/** The routes of a device as a hub declares them, but for their answers. */
export function deviceRoutes(name: string, kind: 'camera' | 'sensor' = 'camera'): readonly Route[] {
  const engine = { kind: 'device', answer: () => ({}), accept: () => {} } as const;
  const path = `/devices/${name}`;
  const facts = { device: name };
  const taken = Type.Object({ device: Type.String(), seq: Type.Integer() }, { title: 'FrameTaken' });
  return [
    ...(kind === 'camera'
      ? [
          toRoute('POST', `${path}/frames`, engine, { body: 'source', output: { 202: taken }, facts }),
          toRoute('GET', `${path}/latest`, engine, { output: media('image/*'), facts }),
          toRoute('GET', `${path}/stream.mjpeg`, engine, {
            output: media('multipart/x-mixed-replace'),
            facts: { ...facts, client: false },
          }),
          toRoute('GET', `${path}/view`, engine, {
            output: media('text/html'),
            facts: { ...facts, client: false },
          }),
        ]
      : []),
    toRoute('POST', `${path}/telemetry`, engine, { body: 'source', facts }),
    toRoute('GET', `${path}/telemetry`, engine, { facts }),
    toRoute('GET', `${path}/ws`, engine, { socket: true, facts }),
    toRoute('GET', `${path}/stream`, engine, { socket: true, facts }),
  ];
}

/** A camera, a sensor and a route that is neither. */
export function yardTable(): RouteTable {
  return createRouteTable([
    toRoute('GET', '/hello', { kind: 'handler' }, { output: Type.String() }),
    ...deviceRoutes('door'),
    ...deviceRoutes('rain-gauge', 'sensor'),
  ]);
}
