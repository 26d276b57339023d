import { describe, expect, it } from 'vitest';
import { wantsHtml } from '../../src/response/wants-html.ts';

describe('wantsHtml', () => {
  it.each([
    'text/html',
    'TEXT/HTML',
    'text/html, */*',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    'application/json;q=0.5, text/html;q=0.6',
    'text/html;level=1;q=0.4',
  ])('is so for what browsers send that go somewhere: %s', (accept) => {
    expect(wantsHtml(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'text/*',
    'application/json',
    'application/json, text/html',
    'text/html, application/problem+json',
    'text/html, application/*',
    'text/html;q=0',
    'text/html;q=x',
    'text/htmlx',
    'application/json, text/plain, */*',
    'image/avif,image/webp,image/png,*/*;q=0.8',
    'text/event-stream',
  ])('is not for anybody else: %s', (accept) => {
    expect(wantsHtml(accept)).toBe(false);
  });
});
