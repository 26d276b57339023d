import { describe, expect, it } from 'vitest';
import { HTTPError } from '../../src/engine/http-error.ts';
import { toErrorResponse } from '../../src/engine/message.ts';
import { isPassing, ModelError } from '../../src/models/model-error.ts';

describe('ModelError', () => {
  const about = { provider: 'openai', model: 'm' } as const;

  it('is an HTTPError: 504 for what took too long, 502 for the rest, with the reason as its code', () => {
    const late = new ModelError('provider "openai" took too long to answer', { ...about, reason: 'timeout' });
    expect(late).toBeInstanceOf(HTTPError);
    expect(toErrorResponse(late)).toMatchObject({
      status: 504,
      body: { kind: 'problem', detail: 'provider "openai" took too long to answer', code: 'timeout' },
    });
    expect(new ModelError('', { ...about, reason: 'quota' }).status).toBe(502);
    expect(new ModelError('', { ...about, reason: 'aborted', status: 503 }).status).toBe(503);
  });

  it('carries what it cost and who said no, and keeps the cause for the log', () => {
    const spend = [
      {
        ...about,
        inputTokens: 1,
        outputTokens: 1,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        costMicros: null,
        estimated: false,
      },
    ];
    const cause = new Error('what the provider said');
    const error = new ModelError('no', { ...about, reason: 'rejected', requestId: 'req_1', spend, cause });
    expect(error).toMatchObject({ ...about, reason: 'rejected', requestId: 'req_1', spend, cause });
    expect(JSON.stringify(toErrorResponse(error))).not.toContain('what the provider said');
    expect(new ModelError('no', { ...about, reason: 'rejected' })).toMatchObject({
      spend: [],
      requestId: undefined,
    });
  });
});

describe('isPassing', () => {
  it.each(['rate_limited', 'unavailable', 'timeout', 'quota'] as const)('holds for %s', (reason) => {
    expect(isPassing(reason)).toBe(true);
  });

  it.each([
    ...(['key_refused', 'missing_key', 'rejected', 'context_window', 'no_valid_answer'] as const),
    ...(['aborted', 'unknown_model', 'malformed_reply'] as const),
  ])('does not hold for %s', (reason) => {
    expect(isPassing(reason)).toBe(false);
  });
});
