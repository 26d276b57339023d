import { describe, expect, it } from 'vitest';
import { wantsEvents } from '../../src/http/wants-events.ts';

describe('wantsEvents', () => {
  it.each([
    'text/event-stream',
    'Text/Event-Stream; charset=utf-8',
    'text/event-stream;q=0.1',
    'text/event-stream, application/problem+json',
    'application/json, text/event-stream',
    'application/json;q=0.8, text/event-stream;q=0.9',
    'text/event-stream;q=0.5, application/json;q=0.4, */*',
    'text/html, text/event-stream , */*;q=0.5',
    'text/event-stream; Q=1.0, application/json;q=0',
  ])('hears %s', (accept) => {
    expect(wantsEvents(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'text/*',
    'application/json',
    'text/event-stream-of-mine',
    'x-text/event-stream',
    'text/event-stream;q=0',
    'text/event-stream;q=0.000',
    'text/event-stream;q=',
    'text/event-stream;q=much',
    'text/event-stream;q=0.8, application/json;q=0.9',
    'text/event-stream;q=0.8, application/*;q=0.9',
    'text/event-stream;q=0.8, */*',
    'text/event-stream, application/json;q=high',
  ])('leaves JSON to %s', (accept) => {
    expect(wantsEvents(accept)).toBe(false);
  });
});
