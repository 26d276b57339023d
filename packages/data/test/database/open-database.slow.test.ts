import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/stores/migrations.ts';
import { testFolder } from '../open.ts';
import { outputOf, spawnScript } from '../processes/spawn.ts';

describe('openDatabase', () => {
  it('refuses a file it may not write, and says so', async () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'theirs'), { mode: 0o555 });
    const child = spawnScript('open-as-nobody.ts', `sqlite://${folder}/theirs/a.db`);
    const { text, errors } = await outputOf(child);
    expect(errors).toBe('');
    expect(JSON.parse(text)).toMatchObject({ code: 'database-permission', fix: expect.any(String) });
  });

  it('makes its tables once when several processes open a new file at once', async () => {
    verifies('sql.tables-once');
    const url = `sqlite://${testFolder()}/new.db`;
    const outputs = await Promise.all(
      Array.from({ length: 4 }, () => outputOf(spawnScript('open-once.ts', url))),
    );
    for (const { text, errors, code } of outputs) {
      expect({ errors, code }).toEqual({ errors: '', code: 0 });
      expect(JSON.parse(text)).toEqual([{ version: migrations.length, rows: 1 }]);
    }
  });

  it('needs the SQLite of a newer Node, and says so', async () => {
    verifies('sql.old-node');
    const { text, errors } = await outputOf(spawnScript('open-on-old-node.ts', join(testFolder(), 'a.db')));
    expect(errors).toBe('');
    expect(text).toContain(
      `database: Node ${process.versions.node} cannot open it; take Node 22.18 or newer`,
    );
  });
});
