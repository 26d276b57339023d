import { HTTPError } from '@waymark/contract';
import { failedCall } from './call-result.ts';
import { type RpcRequest, readEnvelope } from './envelope.ts';
import type { McpAnswer, McpContext } from './mcp.ts';
import type { Methods } from './methods.ts';
import { internalError, invalidRequest, toErrorText, toResultText } from './rpc-text.ts';

/** The most messages of one batch. */
const maxBatchMessages = 50;

/**
 * Answers an array of messages with an array, in their order. Members run side by side and do not see each other: a
 * bad one gets its own error. 2025-03-26 asks for batches; later revisions dropped them and are served all the same.
 */
export async function answerBatch(
  methods: Methods,
  messages: readonly unknown[],
  context: McpContext,
): Promise<McpAnswer> {
  if (messages.length === 0) return refused('a batch holds at least one message');
  if (messages.length > maxBatchMessages)
    return refused(`a batch holds at most ${maxBatchMessages} messages`);
  const answers = await Promise.all(messages.map((message) => answerMember(methods, message, context)));
  const texts = answers.filter((text) => text !== undefined);
  return texts.length === 0 ? { status: 202 } : { status: 200, body: `[${texts.join(',')}]` };
}

function refused(rule: string): McpAnswer {
  return { status: 400, body: toErrorText(null, invalidRequest, rule) };
}

async function answerMember(
  methods: Methods,
  message: unknown,
  context: McpContext,
): Promise<string | undefined> {
  const envelope = readEnvelope(message);
  if (envelope.kind === 'silent') return undefined;
  if (envelope.kind === 'invalid') return toErrorText(envelope.id, invalidRequest, envelope.rule);
  const { request } = envelope;
  if (request.method === 'initialize')
    return toErrorText(request.id, invalidRequest, 'initialize must not be part of a batch');
  try {
    // The POST itself was charged once by the door; without this a batch would multiply what that bought.
    await context.charge?.(1);
  } catch (error) {
    return unpaid(request, error);
  }
  return methods.receive(request, context);
}

/** A tool that is not called for lack of tokens is a failing tool, as over HTTP; any other method is an error. */
function unpaid({ id, method, params }: RpcRequest, error: unknown): string {
  const { status, message } = error instanceof HTTPError ? error : { status: 500, message: 'internal error' };
  const name = params?.['name'];
  return method === 'tools/call' && typeof name === 'string'
    ? toResultText(id, failedCall(name, status, message))
    : toErrorText(id, internalError, message);
}
