import { byTier, verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, everybody, justEnough, scopesOf } from './authority/callers.ts';
import { keys, type MatrixDesk, startMatrixDesk } from './authority/desk.ts';
import { type Answer, get, type Knock, knock, upgrade } from './authority/knock.ts';
import { byUpgrade, controlScopes, overHttp, overMcp, type Verdict } from './authority/oracle.ts';
import { prefix, type Row, rowsOf, targetOf } from './authority/rows.ts';
import { ofHttp, ofToolCall, ofUpgrade } from './authority/verdict.ts';
import type { Header } from './wire/connection.ts';

/** Who may be let in to MCP: as it is by default, who reads tickets, and everybody. */
const variants = [{}, { given: ['tickets:read'] }, { given: [] }] as const;

/**
 * What every row is asked by everybody is what they may do. That a credential is wrong is found out before anybody looks at
 * the row: each row meets one such caller in so many, other rows others. `npm run drills -- properties` has all pairs.
 */
const inRotation = byTier({ quick: 5, slow: 5, drill: 1 });
/** Upgrades of what is no socket are let in as the request is: so many of these rows stand for one. */
const noSocketInRotation = byTier({ quick: 3, slow: 3, drill: 1 });

describe.each<{ given?: readonly string[] }>(variants)(
  'every row by every caller, mcpScopes: %j',
  ({ given }) => {
    const mcpScopes: readonly string[] = given ?? ['svc:admin'];
    let desk: MatrixDesk;
    let rows: readonly Row[];
    let sockets: ReadonlySet<Row>;
    beforeAll(async () => {
      desk = await startMatrixDesk(given);
      rows = await rowsOf(desk.port, keys.OPERATOR_KEY);
      sockets = await socketsOf(desk.port, rows);
    });
    afterAll(() => desk.close());

    const callersOf = (row: Row): readonly Caller[] => {
      const all = scopesOf(rows);
      const needed = [...controlScopes(row.path, mcpScopes), ...row.scopes];
      const turn = rows.indexOf(row);
      const met = everybody(desk, all).filter(
        ({ credential }, i) => credential !== 'wrong' || (i + turn) % inRotation === 0,
      );
      const callers = [...met, ...justEnough(needed, all)];
      // Who signs out there is nobody afterwards.
      return row.path.startsWith(`${prefix}/session`) ? callers.filter(({ session }) => !session) : callers;
    };

    /** Tries all pairs; each must end as the oracle says, and each verdict must be met. */
    async function tryAll(door: string, among: readonly Row[], one: Attempt): Promise<void> {
      const pairs = among.flatMap((row) => callersOf(row).map((caller) => [row, caller] as const));
      // Each wrong one is met, and by more rows than one.
      const isWrong = (caller: Caller): boolean => caller.credential === 'wrong';
      for (const { name } of everybody(desk, scopesOf(rows)).filter(isWrong))
        expect(pairs.filter(([, caller]) => caller.name === name).length, name).toBeGreaterThan(3);
      const counts = new Map<string, number>();
      const wrong: string[] = [];
      await inTurns(pairs, async ([row, caller]) => {
        const { expected, found } = await one(row, caller);
        const [kind = ''] = /^(in, to no socket|in|waits|refused \d+)/.exec(expected) ?? [];
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
        if (found !== expected)
          wrong.push(`${door} ${row.method} ${row.path} by ${caller.name}: ${found}, not ${expected}`);
      });
      expect(wrong).toEqual([]);
      // No control route is a socket.
      const entered = door === 'upgrade' && given !== undefined ? 'in, to no socket' : 'in';
      for (const kind of [entered, 'refused 401', 'refused 403']) expect(counts.get(kind)).toBeGreaterThan(0);
      const told = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
      console.log(`${door}: ${among.length} rows, ${pairs.length} checks: ${told}`);
    }

    it('by requests', async () => {
      verifies('authority.matrix', 'auth.route-scopes', 'authority.scopes.equality', 'authority.scopes.all');
      verifies('authority.wrong-credential', 'authority.control.admin', 'authority.control.mcp-scopes');
      verifies('session.open.any-scope', 'session.same-origin', 'session.not-mcp');
      // What differs with `mcpScopes` is the control plane.
      const plain = rows.filter((row) => !sockets.has(row));
      const among = given === undefined ? plain : plain.filter(({ path }) => path.startsWith(prefix));
      await tryAll('http', among, async (row, caller) => {
        const answer = await knock(desk.port, request(row, caller));
        return { expected: overHttp(caller, row, mcpScopes), found: ofHttp(answer, row) };
      });
    });

    it('by upgrades', async () => {
      verifies('authority.matrix', 'authority.access-token.either');
      expect(sockets.size).toBeGreaterThan(5);
      const readable = rows.filter(({ method }) => method === 'GET');
      const among =
        given === undefined
          ? readable.filter((row, i) => sockets.has(row) || i % noSocketInRotation === 0)
          : readable.filter(({ path }) => path.startsWith(prefix));
      await tryAll('upgrade', among, async (row, caller) => {
        const answer = await upgrade(desk.port, withToken(targetOf(row), caller), caller.headers);
        const expected = byUpgrade(caller, row, sockets.has(row), mcpScopes);
        return { expected, found: ofUpgrade(answer, row) };
      });
    });

    it('by calls of tools', async () => {
      verifies('authority.matrix', 'auth.mcp.own-authority', 'authority.control.mcp-scopes', 'gate.mcp.bare');
      const tools = rows.filter(({ tool }) => tool !== null);
      expect(tools.length).toBeGreaterThan(28);
      await tryAll('mcp', tools, async (row, caller) => {
        const answer = await knock(desk.port, toolCall(row, caller));
        return { expected: overMcp(caller, row, mcpScopes), found: ofToolCall(answer, row) };
      });
    });

    it('in the list of tools, which shows what may be called', async () => {
      verifies('authority.matrix', 'auth.mcp.list-filtered');
      const tools = rows.filter(({ tool }) => tool !== null);
      for (const caller of everybody(desk, scopesOf(rows))) {
        const answer = await get(desk.port, `${prefix}/tools`, caller.headers);
        const path = { ...(tools[0] as Row), method: 'GET', scopes: [], path: `${prefix}/tools` };
        const expected = overHttp(caller, path, mcpScopes);
        expect([caller.name, ofHttp(answer, path)]).toEqual([caller.name, expected]);
        if (expected !== 'in') continue;
        const { tools: shown } = JSON.parse(answer.body) as { tools: readonly { readonly name: string }[] };
        // The row of the list has no scopes of its own: what is left is that of each tool.
        const callable = tools.filter(
          (row) => overHttp(caller, { ...row, method: 'GET', path: '/' }, mcpScopes) === 'in',
        );
        expect(shown.map(({ name }) => name)).toEqual(callable.map(({ tool }) => tool));
      }
    });
  },
);

describe('a refusal', () => {
  it('says the same whatever the body is, and does not wait for it', async () => {
    verifies('http.order.scopes-before-body');
    const desk = await startMatrixDesk();
    try {
      const rows = (await rowsOf(desk.port, keys.OPERATOR_KEY)).filter(({ method }) => method !== 'GET');
      const callers = everybody(desk, scopesOf(rows));
      // Each is asked eight times: whoever is refused knocks at some of the rows, others at others.
      const every = byTier({ quick: 6, slow: 6, drill: 1 });
      const pairs = callers.flatMap((caller, turn) =>
        rows
          .filter((row) => overHttp(caller, row, ['svc:admin']).startsWith('refused'))
          .filter((_, i) => i === 0 || (i + turn) % every === 0)
          .map((row) => [row, caller] as const),
      );
      const differing: string[] = [];
      await inTurns(pairs, async ([row, caller]) => {
        const { method, path } = row;
        const ask = (body: Partial<Knock>): Promise<Answer> =>
          knock(desk.port, {
            method,
            target: targetOf(row),
            ...body,
            headers: [...caller.headers, ...(body.headers ?? [])],
          });
        const plain = told(await ask({}));
        for (const [name, body] of Object.entries(bodies)) {
          const other = told(await ask(body));
          if (other !== plain)
            differing.push(`${method} ${path} by ${caller.name}, ${name}: ${other}, not ${plain}`);
        }
      });
      expect(differing).toEqual([]);
      expect(pairs.length).toBeGreaterThan(200);
      expect(new Set(pairs.map(([row]) => row)).size).toBeGreaterThan(rows.length - 5);
      const count = Object.keys(bodies).length;
      console.log(`bodies: ${rows.length} rows, ${pairs.length} refusals, ${count} bodies each`);
    } finally {
      await desk.close();
    }
  });
});

type Attempt = (row: Row, caller: Caller) => Promise<{ readonly expected: Verdict; readonly found: string }>;

const json: Header = ['content-type', 'application/json'];

/** What no reader of bodies would let pass, and one that never comes. */
const bodies: Readonly<Record<string, Partial<Knock>>> = {
  'not JSON': { headers: [json], body: '{"a":' },
  'too deep': { headers: [json], body: '['.repeat(10_000) },
  'a prototype': { headers: [json], body: '{"__proto__":{"a":1}}' },
  'not UTF-8': { headers: [json], body: Buffer.from([0x22, 0xff, 0x22]) },
  'another type': { headers: [['content-type', 'text/plain']], body: 'a' },
  compressed: { headers: [json, ['content-encoding', 'gzip']], body: '{}' },
  'a gigabyte, announced': { headers: [json, ['content-length', '1073741824']] },
};

/** Nobody declares this member, so that no run begins and no row changes. */
const none = { no_such_member: true };

function request(row: Row, caller: Caller): Knock {
  const { method } = row;
  const { headers } = caller;
  const target = withToken(targetOf(row), caller);
  if (method === 'GET' || method === 'DELETE') return { method, target, headers };
  return { method, target, headers: [...headers, json], body: JSON.stringify(none) };
}

function toolCall({ tool }: Row, { headers }: Caller): Knock {
  const params = { name: tool, arguments: none };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return { method: 'POST', target: `${prefix}/mcp`, headers: [...headers, json], body };
}

function withToken(target: string, { inQuery }: Caller): string {
  return inQuery ? `${target}?access_token=${inQuery.token}` : target;
}

/** Those that say of themselves that they are sockets, to anybody. */
async function socketsOf(port: number, rows: readonly Row[]): Promise<ReadonlySet<Row>> {
  const found = new Set<Row>();
  for (const row of rows) {
    if (row.method === 'GET' && (await get(port, targetOf(row), [])).status === 426) found.add(row);
  }
  return found;
}

/** A refusal but for what tells one request from another. */
function told({ status, headers, body }: Answer): string {
  const { request_id: _, ...problem } = JSON.parse(body) as { readonly request_id: string };
  return `${status} ${headers['www-authenticate']} ${JSON.stringify(problem)}`;
}

/** A few at a time. */
async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const worker = async (): Promise<void> => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
