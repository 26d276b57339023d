import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/engine.ts';
import { listing } from '../../src/route/listing.ts';
import type { Route } from '../../src/route/route.ts';

/** Runs a route's engine the way a dispatcher does. */
function answer(route: Route): unknown {
  return route.engine.answer?.({ request: { id: 'r1' } } as EngineContext);
}

describe('listing', () => {
  it('answers the rows under its own name, on the control plane', async () => {
    const route = listing('devices', () => [{ name: 'door' }]);
    expect(route).toMatchObject({
      name: 'get_svc_devices',
      method: 'GET',
      path: '/devices',
      plane: 'control',
      summary: 'Lists devices.',
      tool: false,
      engine: { kind: 'control' },
      problems: [],
    });
    expect(route.declaredAt).toMatch(/test\/route\/listing\.test\.ts:\d+$/);
    await expect(answer(route)).resolves.toEqual({ devices: [{ name: 'door' }] });
  });

  it('declares its rows when their schema is given', () => {
    const Row = Type.Object({ name: Type.String() });
    const route = listing('devices', () => [], { row: Row, summary: 'Every device.' });
    expect(route.summary).toBe('Every device.');
    expect(route.output).toEqual({
      200: {
        type: 'object',
        properties: { devices: { type: 'array', items: Row } },
        required: ['devices'],
        additionalProperties: false,
      },
    });
    expect(listing('devices', () => []).output).toEqual({});
  });

  it('waits for rows that come later, and passes the context on', async () => {
    const route = listing('events', async (context) => [{ request: context.request.id }]);
    await expect(answer(route)).resolves.toEqual({ events: [{ request: 'r1' }] });
  });
});
