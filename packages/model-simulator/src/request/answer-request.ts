import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatOf, formatOfCaller } from '../formats.ts';
import { deliver } from '../reply/deliver.ts';
import { Refusal, type RefusalMembers } from '../reply/refusal.ts';
import { sendAnswer } from '../reply/send-answer.ts';
import type { WireFormat } from '../wire-format.ts';
import { credentialsOf, withoutSecrets } from './credentials.ts';
import type { Exchange, State } from './exchange.ts';
import { readRequest } from './read-request.ts';
import type { OpenEntry } from './request-log.ts';

/** Answers one request, and tells the log. Never rejects. */
export async function answerRequest(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const found = formatOf(path);
  const format = found ?? formatOfCaller(request.headers);
  const entry: OpenEntry = {
    id: state.newId(),
    format: found?.name,
    method: request.method ?? '',
    path,
    headers: withoutSecrets(request.headers),
    auth: credentialsOf(request.headers).form,
    body: undefined,
    attempt: 1,
    outcome: 'open',
    status: undefined,
    usage: undefined,
  };
  state.log.add(entry);
  response.once('close', () => {
    if (!response.writableFinished && entry.outcome !== 'cut') entry.outcome = 'aborted';
  });
  const exchange: Exchange = { state, format, entry, request, response };
  try {
    checkTarget(found, request);
    const read = await readRequest(exchange);
    if (read) await sendAnswer(exchange, read);
  } catch (error) {
    // What is no refusal was thrown by the script of a program: whoever wrote that reads it in the answer.
    await sendError(
      exchange,
      error instanceof Refusal ? error.members : { status: 500, message: String(error) },
    );
  }
}

function checkTarget(found: WireFormat | undefined, { method = '', url = '' }: IncomingMessage): void {
  if (!found) throw new Refusal({ status: 404, message: `Invalid URL (${method} ${url})` });
  if (method === 'POST') return;
  throw new Refusal({ status: 405, message: `Not allowed: ${method}`, headers: { allow: 'POST' } });
}

async function sendError({ format, entry, response }: Exchange, members: RefusalMembers): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  entry.status = members.status;
  await deliver(response, {
    status: members.status,
    headers: { [format.requestIdHeader]: entry.id, ...members.headers },
    content: JSON.stringify(format.toErrorBody(members, entry.id)),
    paceMs: 0,
    quirks: new Set(),
    beforeEnd: () => {
      entry.outcome = 'failed';
    },
  });
}
