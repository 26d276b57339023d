import WebSocket from 'ws';
import {
  type Caller,
  callers,
  type ThinkingApplication,
  type ThinkingOptions,
  thinking,
} from './agents-application.ts';

/** A clerk who pays with the approval of a human, one who passes work on to the clerk, and a greeter whom anybody may ask. */
export function socketDesk(options: ThinkingOptions = {}): Promise<ThinkingApplication> {
  return thinking((app) => {
    const gated = { tool: true, toolName: 'pay', scopes: ['write'], approval: 'required' } as const;
    app.jwt('TOKEN_SECRET').post('/pay', gated, () => 'paid');
    app.get('/look', { tool: true, toolName: 'look', scopes: ['read'] }, () => 'seen');
    app.agent('clerk', { scopes: ['read', 'write'], exposeScopes: ['read'], tools: ['pay', 'look'] });
    app.agent('boss', { scopes: ['read', 'write'], tools: ['clerk'] });
    app.agent('greeter', { exposeScopes: [], public: true });
  }, options);
}

/** The header of a caller. */
export function keyOf(caller: Caller = 'ANN_KEY'): Readonly<Record<string, string>> {
  return { 'x-api-key': callers[caller] };
}

/** What was told, by kind of step where it was one. */
export function kinds(told: readonly Told[]): readonly string[] {
  return told.map(({ type, step }) => (type === 'step' ? String(Object(step).kind) : type));
}

/** A message of the service. */
export interface Told {
  readonly type: string;
  readonly run_id?: string;
  readonly [member: string]: unknown;
}

/** The client's end of an agent's socket, spoken with the plain `ws` package. */
export interface AgentSocket {
  /** Everything that came, in order. */
  readonly told: readonly Told[];
  readonly ws: WebSocket;
  send(message: unknown): void;
  /** The next message of a type. @throws {Error} when the socket closed before there was one */
  until(type: string): Promise<Told>;
  /** Resolves when it is closed, whoever closed it. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Opens a socket. @throws {Error} with the status when the server refuses */
export async function openAgentSocket(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<AgentSocket> {
  const ws = new WebSocket(new URL(path, url.replace('http', 'ws')), { headers });
  const told: Told[] = [];
  let taken = 0;
  let open = true;
  let wake = (): void => {};
  ws.on('message', (data: Buffer) => {
    told.push(JSON.parse(data.toString()) as Told);
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on('close', (code, reason) => {
      open = false;
      wake();
      resolve({ code, reason: reason.toString() });
    });
  });
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  ws.on('error', () => {});
  return {
    ...{ told, ws, closed },
    send: (message) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async until(type) {
      for (;;) {
        const next = told[taken];
        if (next) {
          taken++;
          if (next.type === type) return next;
        } else if (!open) throw new Error(`the socket closed before there was any ${type}`);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
