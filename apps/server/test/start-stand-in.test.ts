import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { startStandIn } from '../src/rehearse/start-stand-in.ts';

describe('the stand-in of a rehearsal', () => {
  it('says how to install it where its package is not', async () => {
    verifies('cli.watch.model');
    const code = 'ERR_MODULE_NOT_FOUND';
    const missing = startStandIn({}, () =>
      Promise.reject(Object.assign(new Error('Cannot find package'), { code })),
    );
    await expect(missing).rejects.toMatchObject({
      name: 'RehearsalError',
      message: expect.stringContaining('npm install --save-dev @waymark/model-simulator') as string,
    });
  });

  it('hides no other failure', async () => {
    verifies('cli.watch.model');
    const broken = new Error('broken');
    await expect(startStandIn({}, () => Promise.reject(broken))).rejects.toBe(broken);
  });
});
