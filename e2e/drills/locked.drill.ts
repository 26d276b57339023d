/** Another program keeps the lock on the database of a started server for 10 s. */
import { it } from 'vitest';
import { playLocked } from '../test/outages/locked.ts';

it.each([
  ['while somebody writes', true],
  ['while nobody writes', false],
])('a server whose database is locked tells it, %s, and goes on', (_, writes) => playLocked(writes));
