import { describe, expect, it } from 'vitest';
import { eventStreamType, keepAliveText, toEventText } from '../../src/http/event-stream-text.ts';

describe('toEventText', () => {
  it('writes a name, the data and an empty line', () => {
    expect(toEventText({ event: 'progress', data: '{"done":1}' })).toBe(
      'event: progress\ndata: {"done":1}\n\n',
    );
  });

  it('writes the id first, zero and empty data included', () => {
    expect(toEventText({ event: 'step', data: '', id: 'r1/0' })).toBe('id: r1/0\nevent: step\ndata: \n\n');
    expect(toEventText({ event: 'step', data: '1', id: 'a.1' })).toBe('id: a.1\nevent: step\ndata: 1\n\n');
  });

  it('keeps lines of data apart, whatever ends them, so that no line becomes a field of its own', () => {
    expect(toEventText({ event: 'e', data: 'a\nevent: b\r\nc\rd\n' })).toBe(
      'event: e\ndata: a\ndata: event: b\ndata: c\ndata: d\ndata: \n\n',
    );
  });

  it.each(['', 'a\nb', 'a\rb', 'a\0', undefined as unknown as string])(
    'refuses the name or id %j, which is no line of text',
    (text) => {
      expect(() => toEventText({ event: text, data: '' })).toThrow(
        new TypeError('the name of an event is not a line of text'),
      );
      if (text !== undefined)
        expect(() => toEventText({ event: 'e', data: '', id: text })).toThrow(
          new TypeError('the id of an event is not a line of text'),
        );
    },
  );
});

describe('keepAliveText', () => {
  it('is a comment and nothing else', () => {
    expect(keepAliveText).toMatch(/^:.*\n\n$/);
    expect(eventStreamType).toBe('text/event-stream');
  });
});
