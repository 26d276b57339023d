import { describe, expect, it } from 'vitest';
import { checkClocks } from '../check-clocks.ts';
import { manifest, plant } from './plant.ts';

/** What the check says of one file of a package. */
function findings(source: string, path = 'packages/http/src/a.ts'): string[] {
  const root = plant({ 'packages/http/package.json': manifest('http'), [path]: source });
  return checkClocks(root).map(({ file, line, message }) => `${file}:${line} ${message}`);
}

const reads = 'reads the clock on the wall: take `now` as an option, or from the host';
const counts = 'counts by the clock on the wall, which is set: use `monotonic`';

describe('checkClocks', () => {
  it.each([
    'const atMs = host.now();\nsend({ atMs });\n',
    'const startedMs = performance.now();\nconst tookMs = performance.now() - startedMs;\n',
    'const leftMs = deadlineMs - monotonic();\n',
    'const untilMs = host.monotonic() + 5;\n',
    'const day = new Date(atMs).toISOString();\n',
    'const isSame = now() === lastMs;\n',
    'this.#heardMs = performance.now(); const isOld = atMs < this.#heardMs;\n',
    'this.#lastAtMs = host.now(); show(this.#lastAtMs);\n',
    'const known = (now: () => number) => now;\n',
  ])('is content with %j', (source) => {
    expect(findings(source)).toEqual([]);
  });

  it.each([
    'const a = Date.now();\n',
    'const now = Date.now;\n',
    'const a = new Date();\n',
    'const a = Date();\n',
  ])('finds who reads the clock in %j', (source) => {
    expect(findings(`\n${source}`)).toEqual([`packages/http/src/a.ts:2 ${reads}`]);
  });

  it.each([
    'const a = now() - startedMs;',
    'const a = host.now() + 5;',
    'if (this.#now() >= this.#untilMs) end();',
    'const a = Math.max(0, x.parts.now() - atMs);',
    'function f(): void { const nowMs = now(); if (nowMs < endMs) end(); }',
    'class A { f() { this.#beganMs ??= this.#parts.now(); } g() { return createdMs < this.#beganMs; } }',
    'class A { g() { const beganMs = this.beganMs ?? 0; return atMs >= beganMs; } f() { this.beganMs = now(); } }',
    'const nowMs = host.now(); let sum = 0; sum += nowMs;',
  ])('finds who counts by it in %j', (source) => {
    expect(findings(`\n${source}\n`)).toEqual([`packages/http/src/a.ts:2 ${counts}`]);
  });

  it('lets those whose reason stands in its tables, until they do it no more', () => {
    const path = 'packages/http/src/socket/call-at.ts';
    expect(findings('const leftMs = atMs - Date.now();\n', path)).toEqual([]);
    const unused = `${path}:1 is in a table of tools/check-clocks.ts for what it does not do: remove its row`;
    expect(findings('export {};\n', path)).toEqual([unused, unused]);
  });
});
