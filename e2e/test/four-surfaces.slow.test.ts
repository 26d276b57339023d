import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { toClient } from '@waymark/client-gen';
import { verifies } from '@waymark/contract/testing';
import { createApplication, Type } from '@waymark/server';
import { describe, expect, it } from 'vitest';

const key = 'a-key-of-more-than-sixteen-bytes';
const root = join(import.meta.dirname, '..', '..');

/** An application with one route that is always there, and one that a line adds. */
function desk(withRoute: boolean) {
  const app = createApplication('desk', { port: 0, env: { KEY: key } }).apiKey('KEY', 'me', {
    scopes: ['svc:admin'],
  });
  app.get('/always', { tool: true }, () => 'here');
  if (withRoute) {
    app.post(
      '/parcels/{id}/weigh',
      {
        input: { id: Type.Integer(), unit: Type.String({ default: 'kg' }) },
        output: Type.Object({ text: Type.String() }),
        tool: true,
      },
      ({ id, unit }) => ({ text: `parcel ${id} in ${unit}` }),
    );
  }
  return app;
}

/** What each surface shows of the second route. */
async function look(withRoute: boolean) {
  const app = desk(withRoute);
  const running = await app.listen();
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  try {
    const rest = await fetch(`${running.url}/parcels/7/weigh`, {
      method: 'POST',
      headers,
      body: '{"unit":"lb"}',
    });
    const openapi = (await (await fetch(`${running.url}/_svc/openapi.json`, { headers })).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const mcp = new Client({ name: 'four-surfaces', version: '1.0.0' });
    await mcp.connect(
      new StreamableHTTPClientTransport(new URL(`${running.url}/_svc/mcp`), {
        requestInit: { headers: { 'x-api-key': key } },
      }),
    );
    const tool = await mcp
      .callTool({ name: 'create_parcels_by_id_weigh', arguments: { id: 7, unit: 'lb' } })
      .catch((error: Error) => error.message);
    const tools = (await mcp.listTools()).tools.map(({ name }) => name);
    await mcp.close();
    return {
      rest: { status: rest.status, body: await rest.json() },
      operation: openapi.paths['/parcels/{id}/weigh']?.['post']?.operationId,
      tool,
      tools,
      client: await callClient(toClient(app.table, { title: 'desk' }), running.url),
    };
  } finally {
    await running.close();
  }
}

/** Compiles a program against the generated client and runs it. */
async function callClient(source: string, baseUrl: string): Promise<unknown> {
  const folder = mkdtempSync(join(root, 'e2e', '.four-surfaces-'));
  try {
    writeFileSync(join(folder, 'client.ts'), source);
    writeFileSync(
      join(folder, 'program.ts'),
      `import { createClient } from './client.ts';
export async function weigh(baseUrl: string, apiKey: string): Promise<string> {
  const { text } = await createClient({ baseUrl, apiKey }).createParcelsByIdWeigh({ id: 7, unit: 'lb' });
  return text.toUpperCase();
}
`,
    );
    const tsconfig = {
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: { lib: ['es2023', 'dom', 'dom.iterable'] },
      include: ['*.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder], { encoding: 'utf8' });
    const { weigh } = (await import(join(folder, 'program.ts'))) as {
      weigh(baseUrl: string, key: string): Promise<string>;
    };
    return await weigh(baseUrl, key);
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('one declaration', () => {
  it('is a REST endpoint, an OpenAPI operation, an MCP tool and a client method that compiles and works', async () => {
    verifies(
      'purpose.route.rest',
      'purpose.route.openapi',
      'purpose.route.mcp',
      'purpose.route.client',
      'purpose.route.all-four',
    );
    const { rest, operation, tool, tools, client } = await look(true);
    expect(rest).toEqual({ status: 200, body: { text: 'parcel 7 in lb' } });
    expect(operation).toBe('create_parcels_by_id_weigh');
    expect(tools).toEqual(['get_always', 'create_parcels_by_id_weigh']);
    expect(tool).toMatchObject({ isError: false, structuredContent: { text: 'parcel 7 in lb' } });
    expect(client).toBe('PARCEL 7 IN LB');
  });

  it('removes all four when it is removed', async () => {
    const { rest, operation, tool, tools, client } = await look(false);
    expect(rest.status).toBe(404);
    expect(operation).toBeUndefined();
    expect(tools).toEqual(['get_always']);
    expect(tool).toMatch(/-32602/);
    expect(client).toMatch(/error TS2339: Property 'createParcelsByIdWeigh' does not exist/);
  });
});
