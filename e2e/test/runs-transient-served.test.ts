/** What a run with pictures leaves on the disk when its input is kept in memory. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { openDatabase } from '@waymark/data';
import { expect, it, onTestFinished } from 'vitest';
import { thinking } from './agents-application.ts';
import { picture } from './hub-pictures.ts';
import { insidePlugin } from './inside.ts';

const kb = 1_000;
const rounds = 10;

const yard: Principal = { id: 'watcher:yard', rootId: 'watcher:yard', authenticated: true, scopes: ['read'] };

/** A picture that no other one is like. */
function frame(bytes: number): string {
  const png = picture(bytes);
  png.set(randomBytes(bytes - 64), 64);
  return png.toString('base64');
}

/** Bytes that the file grew by with each run of an agent that was shown a picture. */
async function growth(bytes: number, transient: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'runs-transient-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'desk.db');
  const inside = insidePlugin();
  const desk = await thinking((app) => app.agent('guard', { scopes: ['read'] }).add(inside.plugin), {
    database: `sqlite://${file}`,
  });
  const database = await openDatabase(`sqlite://${file}`);
  const { dispatcher, table, newId } = inside.host();
  const route = table.get('guard');
  if (!route) throw new Error('there is no guard');
  const size = async (): Promise<number> => {
    const [row] = await database.many(
      'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
    );
    return Number(row?.['bytes']);
  };
  const before = await size();
  for (let i = 0; i < rounds; i++) {
    const images = [{ media_type: 'image/png', data: frame(bytes) }];
    const answer = await dispatcher.dispatch({
      ...{ route, principal: yard, via: 'watcher', transient, requestId: newId() },
      input: { by: 'arguments', values: { input: '[[images]]', images } },
    });
    expect(answer.status).toBe(200);
  }
  const after = await size();
  await database.close();
  await desk.close();
  return (after - before) / rounds;
}

it('a run whose input is kept in memory leaves none of its pictures on the disk', async () => {
  verifies('run.input.transient');
  expect(await growth(200 * kb, true)).toBeLessThan(20 * kb);
  // What is deleted when a run ends is room for the next one, so that all of them together take as much as one does.
  expect(await growth(200 * kb, false)).toBeGreaterThan((200 * kb) / rounds);
});
