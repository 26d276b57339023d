import type { Progress } from '@waymark/contract';
import { type Body, type Call, problemResponse, RouteResponse } from '@waymark/contract/engine';
import { toEventText } from '@waymark/contract/http';
import { toToolResult } from '@waymark/contract/tools';
import { problemText } from '../response/answer.ts';

/**
 * An answer as the last event of its stream: `error` with the problem document, or `result` with `{status, body}`. A
 * body that is not JSON comes as callers by name get it: text, or a marker around base64.
 *
 * @param id of the answer, where it has one
 */
export async function toLastEvent(
  { status, body }: RouteResponse,
  call: Call,
  id?: Progress['id'],
): Promise<string> {
  if (body.kind === 'problem')
    return toEventText({
      event: 'error',
      data: problemText(status, body, call.requestId),
      ...(id !== undefined && { id }),
    });
  if (body.kind === 'empty') return toResultEvent(status, id);
  if (body.kind === 'json') return toResultEvent(status, id, body.text);
  // Read as a success: an error that is not JSON is to be shown, not explained.
  const read = await toToolResult(new RouteResponse(200, endingWith(call, body)));
  return read.ok
    ? toResultEvent(status, id, JSON.stringify(read.value))
    : toLastEvent(problemResponse(read.status, read.message), call, id);
}

/** The last event for a reader who is behind by more than waits for it: the work goes on, and can be read elsewhere. */
export function tooSlowEvent({ requestId }: Call): string {
  const detail = 'the reader is too slow: the work goes on, and can be read on from the last event';
  return toEventText({
    event: 'error',
    data: problemText(503, { detail, code: 'reader_too_slow' }, requestId),
  });
}

/** The last event for a reader whose credential has ended. */
export function expiredEvent({ requestId }: Pick<Call, 'requestId'>): string {
  const detail = 'the credential has expired';
  return toEventText({ event: 'error', data: problemText(401, { detail }, requestId) });
}

/** @param json text of a body, if there is one */
function toResultEvent(status: number, id: Progress['id'], json?: string): string {
  const data = json === undefined ? `{"status":${status}}` : `{"status":${status},"body":${json}}`;
  return toEventText({ event: 'result', data, ...(id !== undefined && { id }) });
}

/** The source of a stream must not go on for somebody who has gone. */
function endingWith({ signal }: Call, body: Body): Body {
  if (body.kind !== 'stream' || !signal) return body;
  const bytes = new TransformStream<Uint8Array, Uint8Array>();
  return { ...body, stream: body.stream.pipeThrough(bytes, { signal }) };
}
