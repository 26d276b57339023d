import { toClient } from '@waymark/client-gen';
import { verifies } from '@waymark/contract/testing';
import { Type } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, serve } from './served.ts';

/** `/old` went out of use on a day, `/new` is there instead. */
function shop() {
  const app = application();
  const input = { id: Type.Integer() };
  app.get('/new', { input }, ({ id }) => id);
  app.get('/old', { input, deprecated: '2026-11-20', description: 'Use `/new`.' }, ({ id }) => id);
  return app;
}

describe('a deprecated route', () => {
  it('works, and says since when on every answer', async () => {
    verifies('version.deprecation');
    const { url } = await serve(shop());
    const old = await fetch(`${url}/old?id=4`);
    expect([old.status, await old.json()]).toEqual([200, 4]);
    // A date of structured fields: seconds since 1970 (RFC 9745).
    const since = `@${Date.UTC(2026, 10, 20) / 1000}`;
    expect(old.headers.get('deprecation')).toBe(since);
    expect((await fetch(`${url}/old?id=x`)).headers.get('deprecation')).toBe(since);
    expect((await fetch(`${url}/new?id=4`)).headers.has('deprecation')).toBe(false);
  });

  it('is marked in the document and in the client', async () => {
    verifies('version.deprecation');
    const app = shop();
    const { url } = await serve(app);
    const { paths } = (await (await fetch(`${url}/_svc/openapi.json`)).json()) as {
      paths: Record<string, { get: { deprecated?: boolean } }>;
    };
    expect(paths['/old']?.get.deprecated).toBe(true);
    expect(paths['/new']?.get).not.toHaveProperty('deprecated');
    const client = toClient(app.table, { title: 'shop' });
    expect(client).toContain('@deprecated since 2026-11-20');
    expect(client.match(/@deprecated/g)).toHaveLength(1);
  });
});

/** What was called `subject` is called `title`; either is taken, and both are given. */
function desk() {
  const subject = { deprecated: true, description: 'Use `title`.' };
  return application().post(
    '/tickets',
    {
      ...{ tool: true, toolName: 'open_ticket' },
      input: { title: Type.Optional(Type.String()), subject: Type.Optional(Type.String(subject)) },
      output: Type.Object({ title: Type.String(), subject: Type.String(subject) }),
    },
    ({ title, subject: old }) => {
      const text = title ?? old ?? '';
      return { title: text, subject: text };
    },
  );
}

/** The deprecated ones of an object schema. */
function deprecatedOf({ properties = {} }: { readonly properties?: Readonly<Record<string, object>> }) {
  return Object.keys(properties).filter((name) => 'deprecated' in (properties[name] ?? {}));
}

describe('a deprecated name of a member', () => {
  it('is taken and given like the new one', async () => {
    verifies('version.deprecation');
    const { url } = await serve(desk());
    const open = async (body: object): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${url}/tickets`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    };
    expect(await open({ subject: 'Lamp' })).toEqual({ title: 'Lamp', subject: 'Lamp' });
    expect(await open({ title: 'Lamp' })).toEqual({ title: 'Lamp', subject: 'Lamp' });
  });

  it('is marked in the document, in the tool and in the client, and the new one is not', async () => {
    verifies('version.deprecation');
    const app = desk();
    const { url } = await serve(app);
    const text = await (await fetch(`${url}/_svc/openapi.json`)).text();
    const { components } = JSON.parse(text) as { components: { schemas: Record<string, object> } };
    const { paths } = JSON.parse(text) as { paths: Record<string, { post: Operation }> };
    const resolved = ({ schema }: Content): object =>
      components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
    const { requestBody, responses } = paths['/tickets']!.post;
    expect(deprecatedOf(resolved(requestBody.content['application/json']))).toEqual(['subject']);
    expect(deprecatedOf(resolved(responses['200'].content['application/json']))).toEqual(['subject']);
    const { inputSchema, outputSchema } = await toolOf(url, 'open_ticket');
    expect([inputSchema, outputSchema].map(deprecatedOf)).toEqual([['subject'], ['subject']]);
    expect(toClient(app.table, { title: 'desk' }).match(/@deprecated/g)).toHaveLength(2);
  });
});

interface Content {
  readonly schema: { readonly $ref?: string };
}

type Body = { readonly content: { readonly 'application/json': Content } };

/** What of an operation is looked at. */
interface Operation {
  readonly requestBody: Body;
  readonly responses: { readonly 200: Body };
}

/** A tool as MCP lists it. */
async function toolOf(url: string, name: string): Promise<{ inputSchema: object; outputSchema: object }> {
  const response = await fetch(`${url}/_svc/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const { result } = (await response.json()) as {
    result: { tools: readonly { name: string; inputSchema: object; outputSchema: object }[] };
  };
  const tool = result.tools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}
