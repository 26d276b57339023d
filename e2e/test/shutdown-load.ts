import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from './program.ts';
import { Connection, toBytes, type WireRequest } from './wire/connection.ts';

/** What became of the requests around a SIGTERM. */
export interface Outcome {
  /** Without an answer when the signal was sent, or sent after it. */
  readonly underWay: number;
  readonly answered: number;
  /** 503 with `connection: close`. */
  readonly turnedAway: number;
  /** Sent behind one that was answered with `connection: close`, and never begun: the client knows to send them again. */
  readonly sentInVain: number;
  /** Everything else, in words. */
  readonly failures: readonly string[];
  readonly exitCode: number | null;
  readonly exitMs: number;
}

/** What the connections saw. */
interface Tally {
  sent: number;
  answered: number;
  turnedAway: number;
  readonly failures: string[];
  /** Requests without an answer, by whether their connection had been announced to close. */
  readonly inVain: number[];
  readonly cut: number[];
}

/** Starts `programs/loaded.ts`. */
export async function startLoaded(
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly program: Program; readonly port: number }> {
  const program = startProgram('e2e/test/programs/loaded.ts', {
    cwd: import.meta.dirname,
    env: { LOG_LEVEL: 'warn', ...env },
  });
  const [, found] = await program.saying(/url http:\/\/127\.0\.0\.1:(\d+)\n/);
  return { program, port: Number(found) };
}

/**
 * Keeps so many connections busy, with so many requests on the way on each, sends a SIGTERM in the middle of it, and
 * goes on until every client was turned away or finds nobody there.
 */
export async function shutDownUnderLoad(options: {
  readonly connections: number;
  readonly depth: number;
  /** Inside express, behind middleware of the application. */
  readonly middleware?: true;
}): Promise<Outcome> {
  const { connections, depth, middleware } = options;
  const folder = mkdtempSync(join(tmpdir(), 'loaded-'));
  const report = join(folder, 'begun.json');
  const { program, port } = await startLoaded({ REPORT: report, ...(middleware && { MIDDLEWARE: '1' }) });
  try {
    const tally: Tally = { sent: 0, answered: 0, turnedAway: 0, failures: [], inVain: [], cut: [] };
    let signalledMs = 0;
    let answeredBefore = 0;
    const onAnswer = (): void => {
      if (signalledMs > 0 || tally.answered < 2 * connections * depth) return;
      signalledMs = performance.now();
      answeredBefore = tally.answered;
      program.child.kill('SIGTERM');
    };
    await Promise.all(Array.from({ length: connections }, () => keepBusy({ port, depth, tally, onAnswer })));
    const exitCode = await program.ended();
    const exitMs = performance.now() - signalledMs;
    const begun = new Set(JSON.parse(readFileSync(report, 'utf8')) as number[]);
    const { sent, answered, turnedAway, failures, inVain, cut } = tally;
    return {
      ...{ answered, turnedAway, exitCode, exitMs },
      underWay: sent - answeredBefore,
      sentInVain: inVain.length,
      failures: [
        ...failures,
        ...inVain.filter((id) => begun.has(id)).map((id) => `${id} was begun, and its answer never came`),
        ...cut.map((id) => `${id} was cut off without a word${begun.has(id) ? ', and was begun' : ''}`),
      ],
    };
  } finally {
    program.child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

interface Load {
  readonly port: number;
  readonly depth: number;
  readonly tally: Tally;
  onAnswer(): void;
}

/** One client: opens a connection after the other until it is turned away, or nobody is there. */
async function keepBusy(load: Load): Promise<void> {
  for (;;) {
    const connection = await Connection.open(load.port).catch(() => undefined);
    if (!connection) return;
    const turnedAway = await useUp(connection, load);
    connection.close();
    if (turnedAway) return;
  }
}

/** @returns whether the client was turned away */
async function useUp(connection: Connection, { depth, tally, onAnswer }: Load): Promise<boolean> {
  const waiting: number[] = [];
  for (;;) {
    const next = Array.from({ length: depth - waiting.length }, () => tally.sent++);
    connection.send(Buffer.concat(next.map((id) => toBytes(toRequest(id)))));
    waiting.push(...next);
    const answer = await connection.next();
    if (!answer) {
      tally.cut.push(...waiting);
      return true;
    }
    const id = waiting.shift();
    const closing = answer.headers.get('connection') === 'close';
    if (answer.status === 200 && answer.body === JSON.stringify({ id })) tally.answered++;
    else if (answer.status === 503 && closing) tally.turnedAway++;
    else tally.failures.push(`${id} was answered ${answer.text}`);
    onAnswer();
    if (!closing) continue;
    if (await connection.next()) tally.failures.push(`an answer came behind the last one, that of ${id}`);
    tally.inVain.push(...waiting);
    return answer.status === 503;
  }
}

/** Half of them have a body. */
function toRequest(id: number): WireRequest {
  if (id % 2 === 0) return { target: `/work/${id}` };
  return { target: '/work', headers: [['content-type', 'application/json']], body: JSON.stringify({ id }) };
}
