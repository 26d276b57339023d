import type { Answer } from './knock.ts';
import type { Row } from './rows.ts';

interface Problem {
  readonly detail?: string;
}

interface Told {
  readonly error?: { readonly message: string };
  readonly result?: { readonly isError: boolean; readonly content: readonly { readonly text?: string }[] };
}

/** What an engine may say to somebody whom it let in, of an input that is none. */
const fromWithin: ReadonlySet<number> = new Set([200, 201, 202, 204, 303, 304, 400, 404, 409, 410, 415, 422]);

/** What an answer was, as a `Verdict`; the status and the text where no verdict looks like that. */
export function ofHttp({ status, headers, body }: Answer, row: Row): string {
  if (status === 401) return headers['www-authenticate'] ? 'refused 401' : '401 without a challenge';
  if (status === 403) return ofMissing((JSON.parse(body || '{}') as Problem).detail ?? 'no body');
  // A device takes so many readings a second, whoever sends them.
  const tooFast = status === 429 && row.engine === 'device';
  const throws = status === 500 && row.path === '/boom';
  return fromWithin.has(status) || tooFast || throws ? 'in' : `${status} ${body}`;
}

export function ofUpgrade(answer: Answer, row: Row): string {
  if (answer.status === 101) return 'in';
  return answer.status === 400 ? 'in, to no socket' : ofHttp(answer, row);
}

/** What became of `tools/call`: refused at the endpoint, refused or made to wait by the dispatcher, or run. */
export function ofToolCall(answer: Answer, row: Row): string {
  const told = JSON.parse(answer.body) as Told & Problem;
  // Somebody who can ask for a token with more scopes is told so by the status.
  if (answer.status === 403 && told.error) return ofMissing(told.error.message.replace(failed(403), ''));
  if (answer.status !== 200) return ofHttp(answer, row);
  const text = told.result?.content[0]?.text ?? '';
  if (!told.result?.isError) return 'in';
  if (text === `tool "${row.tool}" requires human approval and cannot be invoked directly over MCP`)
    return 'waits for a human';
  const [, status = ''] = failed('\\d+').exec(text) ?? [];
  if (status === '401') return 'refused 401';
  if (status === '403') return ofMissing(text.replace(failed(403), ''));
  return ofHttp({ status: Number(status), headers: {}, body: text }, row);
}

const failed = (status: number | string): RegExp => new RegExp(`^tool \\S+ failed with (${status}): `);

/** All that are named, in their order. */
function ofMissing(detail: string): string {
  const [, scopes] = /^missing scope ("[^"]+"(?:, "[^"]+")*)$/.exec(detail) ?? [];
  return scopes === undefined ? `403 ${detail}` : `refused 403 ${scopes.replace(/"|,/g, '')}`;
}
