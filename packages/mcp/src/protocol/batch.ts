import { HTTPError } from '@waymark/contract';
import { failedCall } from '../content/call-result.ts';
import type { McpAnswer } from '../mcp.ts';
import { AnswerRoom } from '../transport/answer-room.ts';
import type { Exchange } from '../transport/exchange.ts';
import { type RpcRequest, readEnvelope } from './envelope.ts';
import type { Methods } from './methods.ts';
import { refused } from './refusal.ts';
import { internalError, invalidRequest, toErrorText, toResultText } from './rpc-text.ts';

/** The most messages of one batch. */
export const maxBatchMessages = 50;

/** Characters for what can be asked again at no loss: lists. One of a thousand tools is about 500,000. */
export const maxListed = 1_048_576;

/** Characters for the answers of tools, which have done their work by then. */
export const maxCalled = 16 * 1_048_576;

/** The room that one batch has. */
interface Room {
  readonly listed: AnswerRoom;
  readonly called: AnswerRoom;
}

/**
 * Answers an array of messages with an array, in their order. Members run side by side and do not see each other: a
 * bad one gets its own error, and so does one whose answer finds no room beside the others. 2025-03-26 asks for batches; 2025-06-18 dropped them and is served all the same.
 */
export async function answerBatch(
  methods: Methods,
  messages: readonly unknown[],
  exchange: Exchange,
): Promise<McpAnswer> {
  if (messages.length === 0) return invalid('a batch holds at least one message');
  if (messages.length > maxBatchMessages)
    return invalid(`a batch holds at most ${maxBatchMessages} messages`);
  const room = { listed: new AnswerRoom(maxListed), called: new AnswerRoom(maxCalled) };
  const members = messages.flatMap((message) => answerMember(methods, message, { exchange, room }) ?? []);
  if (members.length === 0) return { status: 202 };
  return exchange.answer(Promise.all(members).then((texts) => `[${texts.join(',')}]`));
}

function invalid(message: string): McpAnswer {
  return refused(null, { status: 400, code: invalidRequest, message });
}

/** What the members of one batch share. */
interface Batch {
  readonly exchange: Exchange;
  readonly room: Room;
}

/** @returns undefined for a member that is not answered */
function answerMember(methods: Methods, message: unknown, batch: Batch): Promise<string> | undefined {
  const envelope = readEnvelope(message);
  if (envelope.kind === 'request') return answerRequest(methods, envelope.request, batch);
  if (envelope.kind === 'invalid')
    return Promise.resolve(toErrorText(envelope.id, invalidRequest, envelope.rule));
  return undefined;
}

async function answerRequest(
  methods: Methods,
  request: RpcRequest,
  { exchange, room }: Batch,
): Promise<string> {
  if (request.method === 'initialize')
    return toErrorText(request.id, invalidRequest, 'initialize must not be part of a batch');
  try {
    // The POST itself was charged once by the door; without this a batch would multiply what that bought.
    await exchange.context.charge?.(1);
  } catch (error) {
    return unpaid(request, error);
  }
  const answer = await methods.receive(request, exchange);
  if (request.method === 'tools/call')
    return room.called.take(answer) ? answer : crowdedOut(request, 'its tool was called, but ');
  return room.listed.take(answer) ? answer : crowdedOut(request, '');
}

function crowdedOut({ id }: RpcRequest, before: string): string {
  return toErrorText(id, internalError, `${before}the answer found no room in the batch: ask for it alone`);
}

/** A tool that is not called for lack of tokens is a failing tool, as over HTTP; any other method is an error. */
function unpaid({ id, method, params }: RpcRequest, error: unknown): string {
  const { status, message } = error instanceof HTTPError ? error : { status: 500, message: 'internal error' };
  const name = params?.['name'];
  return method === 'tools/call' && typeof name === 'string'
    ? toResultText(id, failedCall(name, status, message))
    : toErrorText(id, internalError, message);
}
