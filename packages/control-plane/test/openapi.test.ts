import { createRouteTable, type RouteTable } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { controlPlane } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { ask, options, tableOf } from './serve.ts';

const openapi = 'get_svc_openapi_json';

describe('GET /openapi.json', () => {
  it('answers the document of its table as application/json', async () => {
    verifies('control.openapi', 'purpose.control.openapi');
    const document = (table: RouteTable): object => ({ openapi: '3.1.0', 'x-routes': table.size });
    const table = tableOf([], { document });
    expect(await ask(table, openapi)).toEqual(
      new RouteResponse(200, { kind: 'json', text: `{"openapi":"3.1.0","x-routes":${table.size}}` }),
    );
  });

  it('builds the document at the first request, once for each table', async () => {
    const built: RouteTable[] = [];
    const { routes } = controlPlane({ ...options, document: (table) => ({ n: built.push(table) }) });
    const one = createRouteTable(routes).freeze();
    const two = createRouteTable(routes).freeze();
    expect(built).toEqual([]);
    const first = await ask(one, openapi);
    expect(await ask(one, openapi)).toBe(first);
    expect(await ask(two, openapi)).not.toBe(first);
    expect(built).toEqual([one, two]);
  });

  it.each<[string, (fail: () => void) => unknown]>([
    ['at once', (fail) => fail() ?? {}],
    ['later', async (fail) => Promise.resolve().then(() => fail() ?? {})],
  ])('tries again after a document could not be built, which shows %s', async (_, make) => {
    let calls = 0;
    const document = (): unknown =>
      make(() => {
        if (++calls === 1) throw new Error('not yet');
      });
    const table = tableOf([], { document });
    await expect(ask(table, openapi)).rejects.toThrow('not yet');
    expect(await ask(table, openapi)).toMatchObject({ status: 200 });
  });

  it('builds one document for all who ask meanwhile', async () => {
    let calls = 0;
    const document = async (): Promise<object> => ({ calls: ++calls });
    const table = tableOf([], { document });
    const [first, second] = await Promise.all([ask(table, openapi), ask(table, openapi)]);
    expect(second).toBe(first);
    expect(calls).toBe(1);
  });
});
