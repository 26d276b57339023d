import { describe, expect, it } from 'vitest';
import { readAccept } from '../src/transport/accept.ts';

describe('readAccept', () => {
  it.each([
    [undefined, true, false],
    ['', true, false],
    ['*/*', true, false],
    ['application/*', true, false],
    ['application/json', true, false],
    ['application/json, text/event-stream', true, true],
    ['text/event-stream,application/json', true, true],
    ['Application/JSON; charset=utf-8, TEXT/event-stream;q=0.1', true, true],
    ['text/event-stream, */*', true, true],
    ['text/event-stream', false, true],
    ['text/event-stream, application/json;q=0', false, true],
    ['text/event-stream;q=0, application/json', true, false],
    ['application/json;q=0, */*', false, false],
    ['text/html', false, false],
    ['text/*', false, false],
    ['application/jsonl', false, false],
  ])('reads "%s": JSON %s, events %s', (header, json, events) => {
    expect(readAccept(header)).toEqual({ json, events });
  });
});
