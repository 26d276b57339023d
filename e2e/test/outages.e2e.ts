/** What keeps the database of a started server from being used: what it answers and tells, and how it goes on. */
import { verifies } from '@waymark/contract/testing';
import { describe, it } from 'vitest';
import { playLargeDamaged, playSmallDamaged } from './outages/damaged.ts';
import { playDiskFull } from './outages/disk-full.ts';
import { playFileGone, playFileMoved } from './outages/file-gone.ts';

describe('a server', () => {
  it('whose disk is full tells it and who waits for a run, loses nothing, and goes on', async (test) => {
    verifies('sql.full', 'sql.troubles', 'run.not-stored');
    await playDiskFull(1, test);
  });

  it('whose file is deleted acknowledges nothing more, and serves a backup after a restart', async () => {
    verifies('sql.gone', 'sql.troubles');
    await playFileGone();
  });

  it('whose file is moved away and back goes on', async () => {
    verifies('sql.gone', 'sql.troubles');
    await playFileMoved();
  });

  it('whose file is damaged does not start', async () => {
    verifies('sql.damaged');
    await playSmallDamaged();
  });

  it('whose file is damaged and large starts, and tells it', async () => {
    verifies('sql.damaged');
    await playLargeDamaged();
  });
});
