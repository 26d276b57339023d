import type { Attributes } from '@opentelemetry/api';
import type { Message } from '@waymark/contract/models';
import type { WireReply } from '../wire/wire-format.ts';
import type { Attempt, Outcome } from './attempt.ts';
import type { AskContext } from './context.ts';

/** The span of one attempt. */
export interface AttemptSpan {
  onFirst(): void;
  end(outcome: Outcome, reply: WireReply | undefined): void;
  fail(error: unknown): void;
}

/**
 * Starts the span `chat <model>` with the attributes of the OpenTelemetry conventions for generative AI. Nothing happens
 * where no tracer is registered. What was said is in it only with `traceContent`.
 */
export async function startSpan(
  attempt: Attempt,
  stream: boolean,
  context: AskContext,
): Promise<AttemptSpan> {
  // With the first question: a server that asks no model does not load it.
  const { SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api');
  const { request, target } = attempt;
  const tracer = trace.getTracer('@waymark/models');
  const span = tracer.startSpan(`chat ${target.model}`, { kind: SpanKind.CLIENT });
  const recording = span.isRecording();
  const startedMs = context.monotonic();
  if (recording) {
    const { baseUrl } = target.provider;
    const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    span.setAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': target.provider.name,
      'gen_ai.request.model': target.model,
      'gen_ai.request.max_tokens': request.maxTokens,
      'gen_ai.request.stream': stream,
      ...(url && {
        'server.address': url.hostname,
        'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
      }),
      ...(request.temperature !== undefined && { 'gen_ai.request.temperature': request.temperature }),
      ...(context.traceContent && inputContent(attempt)),
    });
  }
  return {
    onFirst() {
      if (recording)
        span.setAttribute('gen_ai.response.time_to_first_chunk', (context.monotonic() - startedMs) / 1000);
    },
    end(outcome, reply) {
      if (recording) span.setAttributes(resultOf(outcome, reply, context));
      if (!outcome.ok) span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.failure.message });
      span.end();
    },
    fail(error) {
      span.setAttribute('error.type', (error as Error).name);
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function inputContent({ request }: Attempt): Attributes {
  const { messages, tools } = request;
  const system = messages.filter(({ role }) => role === 'system');
  const others = messages.filter(({ role }) => role !== 'system');
  return {
    'gen_ai.input.messages': toContent(others),
    ...(system.length > 0 && { 'gen_ai.system_instructions': toContent(system) }),
    ...(tools && { 'gen_ai.tool.definitions': JSON.stringify(tools) }),
  };
}

function resultOf(outcome: Outcome, reply: WireReply | undefined, { traceContent }: AskContext): Attributes {
  const { spend } = outcome;
  return {
    ...(spend && {
      'gen_ai.usage.input_tokens': spend.inputTokens,
      'gen_ai.usage.output_tokens': spend.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': spend.cacheReadTokens,
      'gen_ai.usage.cache_write.input_tokens': spend.cacheWriteTokens,
    }),
    ...(reply?.id !== undefined && { 'gen_ai.response.id': reply.id }),
    ...(reply?.model !== undefined && { 'gen_ai.response.model': reply.model }),
    'gen_ai.response.finish_reasons': [outcome.ok ? outcome.reply.stop : 'error'],
    ...(!outcome.ok && { 'error.type': outcome.failure.reason }),
    ...(outcome.ok && traceContent && { 'gen_ai.output.messages': toContent([outcome.reply.message]) }),
  };
}

/** Images and the like are left out: a span is no place for megabytes. */
function toContent(messages: readonly Message[]): string {
  return JSON.stringify(messages, (key, value: unknown) => (key === 'data' ? undefined : value));
}
