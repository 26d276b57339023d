import { setTimeout as sleep } from 'node:timers/promises';
import { es256, goodClaims } from '../corpora/sign.ts';
import { spoken, things } from './answers.ts';
import type { Asked, FailingOrigin } from './failing-origin.ts';
import type { LineFacts, LinePlan } from './lines.ts';

/** One way out in a play. */
export interface Line extends LinePlan {
  readonly origin: FailingOrigin;
}

/** What a desk answered; `broken` where its answer ended before its end. */
interface Answer {
  readonly status: number | 'broken' | 'hangs';
  readonly text: string;
  readonly tookMs: number;
}

/** Whoever waits longer for an answer is hung up on. */
const patienceMs = 40_000;

/** How a line came out. */
export interface LineEnd {
  /** What is not as it should be. */
  readonly wrong: readonly string[];
  /** Whether somebody was answered with a failure: then the log says of which line. */
  readonly noticed: boolean;
}

/** Plays a line until it is well again. */
type Play = (line: Line, url: string) => Promise<LineEnd>;

/** What becomes of a line whose request fails, as seen by who depends on it. */
export const plays: Readonly<Record<Exclude<LineFacts['kind'], 'webhook'>, Play>> = {
  /** A token that cannot be verified now is 503 and never wrong. */
  async issuer({ origin }, url) {
    const aud = 'http://localhost:8000/_svc/mcp';
    const token = es256.token({ ...goodClaims, iss: origin.url, aud });
    const seen = await again(20_000, () =>
      ask(`${url}/who`, { headers: { authorization: `Bearer ${token}` } }),
    );
    return { wrong: complaintsOf(seen, { allowed: [503], withinMs: 11_000 }), noticed: seen.length > 1 };
  },

  /** What breaks is told to whoever asked; nothing is done twice, and the next one is answered. */
  async upstream(line, url) {
    const { name, origin, failure } = line;
    const at = (what: string): string => `${url}/up/${name}/${what}`;
    const body = 'z'.repeat(100_000);
    const post = { method: 'POST', body, headers: { 'content-type': 'text/plain' } };
    const rounds = [
      { wanted: things.small, seen: await ask(at('small')) },
      { wanted: things.large, seen: await ask(at('large')) },
      { wanted: body, seen: await ask(at('sent'), post) },
      { wanted: things.small, seen: await ask(at('small')) },
    ];
    const allowed = failure === '500' ? [500] : [502, 504, 'broken'];
    const wrong = rounds.flatMap(({ wanted, seen: { status, text, tookMs } }) => [
      ...(status === 200 && text !== wanted ? [`it got ${text.length} bytes and was told that is all`] : []),
      ...(status === 200 || allowed.includes(status) ? [] : [`it was answered ${status}`]),
      ...(tookMs > 10_000 ? [`it waited ${Math.round(tookMs)} ms`] : []),
    ]);
    const failed = rounds.filter(({ seen }) => seen.status !== 200).length;
    // Whoever is away is so for a while.
    if (failed > 1 && failure !== 'refused') wrong.push(`${failed} failed`);
    const posts = origin.asked.filter(({ method }) => method === 'POST').length;
    if (posts > 1) wrong.push(`it was done ${posts} times`);
    const last = await again(5_000, () => ask(at('small')));
    if (last.at(-1)?.status !== 200) wrong.push('it is not well again');
    // What an upstream answers is passed on.
    return { wrong, noticed: failed > 0 && failure !== '500' };
  },

  /** A run says how it ended. */
  async model({ name }, url) {
    const wrong: string[] = [];
    let noticed = false;
    let isWell = false;
    // Twice, and once more where the second failed.
    for (let i = 0; i < 2 || (i < 3 && !isWell); i++) {
      const { status, text } = await ask(`${url}/agents/${name}`, {
        ...{ method: 'POST', body: '{"input":"Hello?"}' },
        headers: { 'content-type': 'application/json' },
      });
      const said = JSON.parse(text || '{}') as { readonly status?: string; readonly output?: string };
      isWell = status === 200 && said.status === 'completed' && said.output === spoken;
      if (!isWell && status !== 502 && said.status !== 'failed')
        wrong.push(`it was answered ${status}: ${text.slice(0, 300)}`);
      noticed ||= !isWell;
    }
    if (!isWell) wrong.push('it is not well again');
    return { wrong, noticed };
  },

  /** A picture is whole, or whoever asked is told why there is none. */
  async camera({ name, origin }, url) {
    const wrong: string[] = [];
    let noticed = false;
    for (let i = 0; i < 3; i++) {
      const seen = await again(20_000, () => ask(`${url}/devices/${name}/latest`));
      wrong.push(...complaintsOf(seen, { allowed: [502, 504], withinMs: 15_000 }));
      if (seen.at(-1)?.text.length !== pictureLength) wrong.push('it got half a picture');
      noticed ||= seen.length > 1;
      // A picture is good for so long.
      await sleep(300);
    }
    // Until then an older picture is shown, and the camera is left alone.
    const fresh = (): ReturnType<typeof ask> => ask(`${url}/devices/${name}/latest?max_age_ms=100`);
    if (origin.failedMs !== undefined && (await again(20_000, fresh)).at(-1)?.status !== 200)
      wrong.push('it gives no new picture');
    return { wrong, noticed };
  },
};

const pictureLength = 20_000;

/** What each receiver was told, held against one that was always there. */
export function missingAt(line: Line, well: FailingOrigin): readonly string[] {
  const got = new Set(line.origin.asked.map(runOf));
  const missing = [...new Set(well.asked.map(runOf))].filter((run) => !got.has(run));
  return missing.length > 0 ? [`${missing.length} messages have not arrived`] : [];
}

function runOf({ body }: Asked): string {
  return (JSON.parse(body.toString()) as { readonly data: { readonly run_id: string } }).data.run_id;
}

export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const startMs = performance.now();
  const took = (): number => performance.now() - startMs;
  let status: Answer['status'] = 'broken';
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    return { status: response.status, text, tookMs: took() };
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') status = 'hangs';
    return { status, text: '', tookMs: took() };
  }
}

/** Asks again until it is answered 200. */
async function again(forMs: number, asking: () => Promise<Answer>): Promise<readonly Answer[]> {
  const untilMs = performance.now() + forMs;
  const seen: Answer[] = [];
  for (;;) {
    const answer = await asking();
    seen.push(answer);
    if (answer.status === 200 || performance.now() > untilMs) return seen;
    await sleep(250);
  }
}

function complaintsOf(
  seen: readonly Answer[],
  { allowed, withinMs }: { readonly allowed: readonly Answer['status'][]; readonly withinMs: number },
): readonly string[] {
  return [
    ...(seen.at(-1)?.status === 200 ? [] : ['it is not well again']),
    ...seen
      .slice(0, -1)
      .flatMap(({ status, text }) =>
        allowed.includes(status) ? [] : [`it was answered ${status}: ${text.slice(0, 200)}`],
      ),
    ...seen.flatMap(({ tookMs }) => (tookMs > withinMs ? [`it waited ${Math.round(tookMs)} ms`] : [])),
  ];
}
