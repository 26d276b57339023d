import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSqld } from '../test/servers/sqld.ts';

const checks = join(import.meta.dirname, '../../packages/data/test/processes/remote-checks.ts');
const sqld = await findSqld();

beforeAll(() => sqld?.start());
afterAll(() => sqld?.remove());

describe.skipIf(!sqld)('a database behind a libsql server', () => {
  it.each(['http://', 'ws://', 'libsql://'])('keeps the promises of a file over %s', (scheme) => {
    const url = `${scheme}127.0.0.1:${sqld?.port}${scheme === 'libsql://' ? '?tls=0' : ''}`;
    const args = ['--conditions=@waymark/source', checks, url, 'http://127.0.0.1:1'];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const lines = stdout.trim().split('\n');
    // A program that does not start says why.
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
    // The cases of the five stores, and those of the database.
    expect(lines.length).toBeGreaterThan(45);
  });
});
