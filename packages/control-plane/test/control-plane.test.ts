import { createRouteTable, defineRoute, type Route, toRoute } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { controlPlane } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { ask, askReply, options, tableOf } from './serve.ts';

const plugin = controlPlane(options);

/** What it serves: names and paths under the prefix. */
const served = [
  ['get_svc_health', '/health'],
  ['get_svc_openapi_json', '/openapi.json'],
  ['get_svc_docs', '/docs'],
  ['get_svc_docs_by_version_by_file', '/docs/{version}/{file}'],
  ['get_svc_tools', '/tools'],
  ['get_svc_routes', '/routes'],
  ['get_svc_models', '/models'],
  ['get_svc_overview', '/overview'],
  ['get_svc_spend', '/spend'],
  ['get_svc_usage', '/usage'],
  ['get_svc_audit', '/audit'],
  ['get_svc_events', '/events'],
  ['get_svc_security', '/security'],
] as const;

describe('controlPlane', () => {
  it('adds control routes, none of them a tool', () => {
    expect(
      plugin.routes.map(({ name, method, path, plane, tool }) => [name, method, path, plane, tool]),
    ).toEqual(served.map(([name, path]) => [name, 'GET', path, 'control', false]));
  });

  it('follows the control prefix of the table, by other paths under the same names', () => {
    verifies('app.option.control-prefix');
    const table = createRouteTable(plugin.routes, { controlPrefix: '/ops/control' }).freeze();
    expect([...table].map((route) => [route.name, table.pathOf(route)])).toEqual(
      served.map(([name, path]) => [name, `/ops/control${path}`]),
    );
  });

  it('guards nothing by itself, and starts only to learn where ledger and audit log are', () => {
    expect(Object.keys(plugin)).toEqual(['name', 'placement', 'routes', 'start']);
  });

  it('describes what it answers, member by member', async () => {
    const gated = { tool: true, approval: 'required' } as const;
    const table = tableOf([
      defineRoute('GET', '/a', gated, () => 1),
      toRoute('POST', '/agent', { kind: 'agent' }, { facts: { startsRun: 'agent' } }),
      toRoute('GET', '/notes/search', { kind: 'memory' }, { facts: { memory: 'notes' } }),
    ]);
    const { body } = await askReply(table, 'get_svc_health');
    const health = outputOf(table.get('get_svc_health'));
    // Plugins may count more than what everybody counts.
    expect(health).toMatchObject({ additionalProperties: { type: 'number' } });
    expect(membersOf({ ...health, additionalProperties: false })).toEqual(Object.keys(body as object));
    for (const name of ['tools', 'routes']) {
      const answer = (await ask(table, `get_svc_${name}`)) as Record<string, readonly object[]>;
      const output = outputOf(table.get(`get_svc_${name}`));
      expect(membersOf(output)).toEqual([name]);
      expect(membersOf(output.properties[name]?.items)).toEqual(Object.keys(answer[name]?.[0] ?? {}));
    }
    const report = (await ask(table, 'get_svc_security')) as Record<string, readonly object[]>;
    const output = outputOf(table.get('get_svc_security'));
    expect(membersOf(output)).toEqual(Object.keys(report));
    for (const name of ['public_surface', 'gated_tools', 'agents', 'memories', 'warnings'])
      expect(membersOf(output.properties[name]?.items)).toEqual(Object.keys(report[name]?.[0] ?? {}));
  });
});

interface ObjectSchema {
  readonly properties: Readonly<Record<string, { readonly items?: ObjectSchema }>>;
  readonly required: readonly string[];
  readonly additionalProperties?: unknown;
}

/** The routes above declare closed objects. */
function outputOf(route: Route | undefined): ObjectSchema {
  return route?.output[200] as ObjectSchema;
}

/** The members of a record that has all of them, always. */
function membersOf(schema: ObjectSchema | undefined): readonly string[] {
  expect(schema).toMatchObject({
    additionalProperties: false,
    required: Object.keys(schema?.properties ?? {}),
  });
  return schema?.required ?? [];
}
