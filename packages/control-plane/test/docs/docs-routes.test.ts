import { RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { readDocsFiles } from '../../src/docs-files.ts';
import { ask, tableOf } from '../serve.ts';

async function page(): Promise<{ readonly text: string; readonly headers: RouteResponse['headers'] }> {
  const answer = await ask(tableOf([], { name: 'secret-desk', version: '9.8.7' }), 'get_svc_docs');
  if (!(answer instanceof RouteResponse) || answer.body.kind !== 'bytes') throw new Error('no page');
  return { text: Buffer.from(answer.body.bytes).toString(), headers: answer.headers };
}

describe('GET /docs', () => {
  it('is a page that says nothing of the application', async () => {
    verifies('docs-page.no-facts');
    const { text } = await page();
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).not.toMatch(/secret-desk|9\.8\.7/);
    expect(text).toBe((await page()).text);
  });

  it('lets nothing in but what the server itself gives, and no text become markup', async () => {
    verifies('docs-page.policy');
    const { text, headers } = await page();
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("form-action 'none'; frame-ancestors 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-frame-options': 'SAMEORIGIN' });
    expect(headers['etag']).toMatch(/^"[0-9a-f]{16}"$/);
    // Neither a script nor a style of its own, nor an address elsewhere.
    expect(text).not.toMatch(/<script>|<style|style=|\son\w+=|https?:\/\//);
  });

  it('names its files, which are kept for good under the hash of all', async () => {
    const { text } = await page();
    const named = [...text.matchAll(/(?:src|href)="docs\/([^/]+)\/([^"]+)"/g)];
    expect(named.map(([, , file]) => file)).toEqual(['icon.svg', 'docs.css', 'docs.js']);
    const { version } = readDocsFiles();
    for (const [, hash, file] of named) {
      const answer = await ask(tableOf([]), 'get_svc_docs_by_version_by_file', {
        input: { version: hash, file },
      });
      expect(hash).toBe(version);
      expect(answer).toMatchObject({
        status: 200,
        headers: { 'cache-control': 'public, max-age=31536000, immutable' },
      });
    }
  });

  it.each([
    ['another release', { version: 'old', file: 'docs.js' }],
    ['no such file', { version: readDocsFiles().version, file: '../package.json' }],
  ])('answers 404 for %s', async (_, input) => {
    await expect(ask(tableOf([]), 'get_svc_docs_by_version_by_file', { input })).rejects.toMatchObject({
      status: 404,
    });
  });
});
