/** Pages of the database of a started server are damaged. */
import { it } from 'vitest';
import { playLargeDamaged, playSmallDamaged } from '../test/outages/damaged.ts';

it('a server whose file is damaged does not start', () => playSmallDamaged());

it.each([40, 64, 256, 1_024])('a server whose file of %i MiB is damaged tells it', (mebibytes) =>
  playLargeDamaged(mebibytes * 1024 * 1024),
);
