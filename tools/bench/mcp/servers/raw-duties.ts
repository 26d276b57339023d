// node:http by hand with the duties of the product: an id, a log line, its headers, guards of Host and origin, UTF-8, depth
// and `__proto__`, a deadline, problem documents, and for a call the checks of its era, validation and an audit record.
import { createServer, type IncomingMessage } from 'node:http';
import { Type } from '@waymark/contract';
import { Compile } from 'typebox/compile';
import { listening } from '../../http/listening.ts';
import { createPromises, type Promised } from '../../http/promises.ts';
import { announce } from '../../lib/announce.ts';

const validator = Compile(Type.Object({ text: Type.String() }, { additionalProperties: false }));
const serverInfo = JSON.stringify({ name: 'bench', version: '0.1.0' });
const discoverMembers = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":${serverInfo}},`;
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const promises = createPromises();

/** The last of them, as a store would take them in batches. */
const audit: object[] = [];

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly arguments?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const server = createServer({ optimizeEmptyRequests: true }, (req, res) => {
  const visit = promises.begin(req, res);
  if (!visit) return;
  if (visit.path !== '/_svc/mcp' || req.method !== 'POST')
    promises.refuse(visit, 404, 'nothing is served at this path');
  else if (!takesAnswer(req)) promises.refuse(visit, 406, 'the answer is application/json');
  else promises.readJson(visit, answerCall);
});

function takesAnswer({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('application/json') ?? false;
}

function answerCall(visit: Promised, message: unknown): void {
  visit.route = 'mcp';
  const sent = message as Message | null;
  const code = sent ? faultOf(visit, sent) : -32600;
  const id = sent?.id;
  const params = sent?.params;
  const values = params?.arguments;
  if (code !== undefined) refuse(visit, id, code);
  else if (!validator.Check(values)) refuse(visit, id, -32602);
  else {
    const output = JSON.stringify({ text: values.text });
    record(visit);
    const members = params?._meta === undefined ? '' : discoverMembers;
    const content = `[{"type":"text","text":${JSON.stringify(output)}}]`;
    const result = `{${members}"content":${content},"structuredContent":${output},"isError":false}`;
    answer(visit, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  }
}

function faultOf({ req }: Promised, { jsonrpc, id, method, params }: Message): number | undefined {
  if (jsonrpc !== '2.0' || (typeof id !== 'number' && typeof id !== 'string')) return -32600;
  if (method !== 'tools/call' || params?.name !== 'echo') return -32601;
  return params._meta !== undefined && !repeatsItself(req, params._meta) ? -32020 : undefined;
}

/** The headers of 2026-07-28 say what the body says. */
function repeatsItself({ headers }: IncomingMessage, meta: Readonly<Record<string, unknown>> = {}): boolean {
  return (
    headers['mcp-protocol-version'] === meta[versionKey] &&
    headers['mcp-method'] === 'tools/call' &&
    headers['mcp-name'] === 'echo'
  );
}

function record({ startedMs }: Promised): void {
  if (audit.length === 1000) audit.length = 0;
  audit.push({
    ...{ kind: 'tool_called', via: 'mcp', route: 'echo', principal: 'anonymous', status: 200 },
    duration_ms: Math.round(performance.now() - startedMs),
    at_ms: Date.now(),
  });
}

function refuse(visit: Promised, id: unknown, code: number): void {
  answer(visit, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'refused' } }));
}

function answer(visit: Promised, text: string): void {
  promises.answer(visit, 200, 'application/json', text);
}

announce(await listening(server));
