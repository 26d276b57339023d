import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRemote } from '../test/servers/check-remote.ts';
import { findSqld } from '../test/servers/sqld.ts';

const sqld = await findSqld();

beforeAll(() => sqld?.start());
afterAll(() => sqld?.remove());

describe.skipIf(!sqld)('a database behind a libsql server', () => {
  it.each(['http://', 'ws://', 'libsql://'])('keeps the promises of a file over %s', async (scheme) => {
    const url = `${scheme}127.0.0.1:${sqld?.port}${scheme === 'libsql://' ? '?tls=0' : ''}`;
    const { failed, passed } = await checkRemote(url);
    expect(failed).toEqual([]);
    // The cases of all stores, and those of the database.
    expect(passed).toBeGreaterThan(140);
  });
});
