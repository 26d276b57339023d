import { verifies } from '@waymark/contract/testing';
import type { RunningApplication } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacy, type Members, post, postModern } from './mcp/messages.ts';
import {
  clerkKey,
  createSupportDesk,
  operatorKey,
  toolsOfClerk,
  toolsOfOperator,
} from './mcp/support-desk.ts';

let desk: RunningApplication;

beforeAll(async () => {
  desk = await createSupportDesk().listen();
});
afterAll(() => desk.close());

const asOperator = () => ({ port: desk.port, key: operatorKey });
const openDoor: Members = { name: 'open_door', arguments: { seconds: 5 } };
const refusal = {
  content: [
    {
      type: 'text',
      text: 'tool "open_door" requires human approval and cannot be invoked directly over MCP',
    },
  ],
  isError: true,
};

describe('the tools of a desk', () => {
  it('are described as the example of the specification was decided', async () => {
    verifies('descriptor.example', 'descriptor.four-members');
    const answer = await post(asOperator(), legacy('tools/list'));
    expect(answer.body).toContain(
      '{"tools":[{"name":"get_tickets_by_id_summary","description":"Summarise a ticket.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"style":{"type":"string","default":"short"}},"required":["id"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"idempotentHint":true,"requiresApproval":false}},',
    );
  });

  it.each([
    [operatorKey, toolsOfOperator],
    [clerkKey, toolsOfClerk],
  ])('are the same in the plain listing for the key %s', async (key, expected) => {
    verifies('mcp.list.only-own', 'mcp.list.order');
    const answer = await post({ port: desk.port, key }, legacy('tools/list'));
    const plain = await fetch(new URL('/_svc/tools', desk.url), { headers: { 'x-api-key': key } });
    const namesOf = (tools: readonly { name: string }[]): readonly string[] => tools.map(({ name }) => name);
    const { result } = answer.json as { result: { tools: { name: string }[] } };
    const { tools } = (await plain.json()) as { tools: { name: string }[] };
    expect(namesOf(result.tools)).toEqual(expected);
    expect(namesOf(tools)).toEqual(expected);
  });

  it('are refused over MCP where a human has to approve, to a caller who may use them over HTTP', async () => {
    verifies('gate.http', 'error.mcp.approval');
    const overHttp = await fetch(new URL('/door', desk.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': operatorKey },
      body: '{"seconds":5}',
    });
    expect([overHttp.status, await overHttp.json()]).toEqual([200, { open: true }]);
    const answers = [
      await post(asOperator(), legacy('tools/call', openDoor)),
      await postModern(asOperator(), 'tools/call', openDoor),
    ];
    for (const { status, json } of answers) expect([status, json]).toMatchObject([200, { result: refusal }]);
  });

  it('are refused to every member of a batch', async () => {
    verifies('mcp.batch', 'gate.batch');
    const members = [1, 2].map((id) => legacy('tools/call', openDoor, id));
    expect((await post(asOperator(), members)).json).toEqual(
      [1, 2].map((id) => ({ jsonrpc: '2.0', id, result: refusal })),
    );
  });
});
