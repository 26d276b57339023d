/** The database file of a started server is deleted while it is written, and moved while nobody uses it. */
import { it } from 'vitest';
import { playFileGone, playFileMoved } from '../test/outages/file-gone.ts';

it.each([1, 2, 3, 4, 5])('a server whose file is deleted acknowledges nothing into nothing (%i)', () =>
  playFileGone(),
);

it('a server whose file is moved away and back goes on', () => playFileMoved());
