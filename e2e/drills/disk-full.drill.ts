/** The disk of a started server is full ten times, each time in the middle of a run. */
import { it } from 'vitest';
import { playDiskFull } from '../test/outages/disk-full.ts';

it('a server whose disk is full, again and again, loses nothing and ends each run', (test) =>
  playDiskFull(10, test));
