import { describe, expect, it } from 'vitest';
import { type StatusFacts, toReadyStatus, toStatus } from '../../../browser/connect/status.ts';

const fine: StatusFacts = {
  camera: 'on',
  cameraError: undefined,
  line: 'open',
  wasOpen: true,
  refusedLately: [],
  takenLately: true,
  isHidden: false,
  tally: { taken: 132 },
  pace: { blame: 'well', scale: 1 },
};

/** As a browser throws it. */
const thrown = (name: string): Error => Object.assign(new Error('in its own words'), { name });

describe('toStatus', () => {
  it.each<[string, Partial<StatusFacts>, string, RegExp]>([
    ['all is well', {}, 'sending', /this camera is the device now/],
    [
      'the camera is forbidden',
      { camera: 'refused', cameraError: thrown('NotAllowedError') },
      'trouble',
      /Allow it/,
    ],
    [
      'there is none',
      { camera: 'refused', cameraError: thrown('NotFoundError') },
      'trouble',
      /no camera here/,
    ],
    [
      'somebody has it',
      { camera: 'refused', cameraError: thrown('NotReadableError') },
      'trouble',
      /another program/,
    ],
    [
      'it is gone',
      { camera: 'refused', cameraError: thrown('OverconstrainedError') },
      'trouble',
      /Choose another/,
    ],
    ['nobody knows why', { camera: 'refused', cameraError: 7 }, 'trouble', /could not be started/],
    ['it was unplugged', { camera: 'lost' }, 'trouble', /by itself/],
    ['it is asked for', { camera: 'starting' }, 'starting', /allow it/],
    ['the line is made', { line: 'connecting', wasOpen: false }, 'starting', /Connecting/],
    ['the line broke', { line: 'waiting' }, 'waiting', /tried again by itself/],
    ['nothing was taken yet', { tally: { taken: 0 } }, 'starting', /first frame/],
    ['nobody looks', { isHidden: true }, 'waiting', /background/],
    ['two send', { refusedLately: ['a device takes 5 frames a second'] }, 'refused-some', /somebody else/],
    ['it is too large', { refusedLately: ['a frame has 9 bytes at most'] }, 'refused-some', /made smaller/],
    ['it is odd', { refusedLately: ['first', 'then this'] }, 'refused-some', /does not take.*then this/],
    [
      'none is taken',
      { refusedLately: ['a device takes 5 frames a second'], takenLately: false },
      'trouble',
      /somebody else/,
    ],
    ['the line is slow', { pace: { blame: 'slow-line', scale: 1 } }, 'sending', /line is slow/],
    ['the hub takes little ones', { pace: { blame: 'well', scale: 0.5 } }, 'sending', /small ones/],
  ])('says what to do when %s', (_, facts, word, sentence) => {
    const status = toStatus({ ...fine, ...facts });
    expect(status.word).toBe(word);
    expect(status.sentence).toMatch(sentence);
  });

  it('has no count in it, so that it is read out when it changes and not with each frame', () => {
    expect(toStatus(fine)).toEqual(toStatus({ ...fine, tally: { taken: 133 } }));
  });

  it('knows before Start that an unsafe page gets no camera', () => {
    expect(toReadyStatus(true).word).toBe('ready');
    expect(toReadyStatus(false)).toMatchObject({ word: 'trouble', sentence: expect.stringMatching(/https/) });
  });
});
