import { describe, expect, it } from 'vitest';
import { type StatusFacts, toReadyStatus, toStatus } from '../../../browser/connect/status.ts';

const fine: StatusFacts = {
  camera: { state: 'on', error: undefined },
  line: { state: 'open' },
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
    ['all is well', {}, 'Sending', /this camera is the device now/],
    [
      'the camera is forbidden',
      { camera: { state: 'refused', error: thrown('NotAllowedError') } },
      'Not sending',
      /Allow it/,
    ],
    [
      'there is none',
      { camera: { state: 'refused', error: thrown('NotFoundError') } },
      'Not sending',
      /no camera here/,
    ],
    [
      'somebody has it',
      { camera: { state: 'refused', error: thrown('NotReadableError') } },
      'Not sending',
      /nother program/,
    ],
    [
      'it is gone',
      { camera: { state: 'refused', error: thrown('OverconstrainedError') } },
      'Not sending',
      /Choose another/,
    ],
    ['nobody knows why', { camera: { state: 'refused', error: 7 } }, 'Not sending', /could not be started/],
    ['it was unplugged', { camera: { state: 'lost', error: undefined } }, 'Not sending', /by itself/],
    ['it is asked for', { camera: { state: 'starting', error: undefined } }, 'Starting', /allow it/],
    ['the line is made', { line: { state: 'connecting' }, wasOpen: false }, 'Starting', /Connecting/],
    ['the line broke', { line: { state: 'waiting' } }, 'Waiting', /back by itself/],
    ['nothing was taken yet', { tally: { taken: 0 } }, 'Starting', /first frame/],
    ['nobody looks', { isHidden: true }, 'Waiting', /background/],
    [
      'two send',
      { refusedLately: ['a device takes 5 frames a second'] },
      'Some frames refused',
      /somebody else/,
    ],
    [
      'it is too large',
      { refusedLately: ['a frame has 9 bytes at most'] },
      'Some frames refused',
      /made smaller/,
    ],
    [
      'it is odd',
      { refusedLately: ['first', 'then this'] },
      'Some frames refused',
      /does not take.*then this/,
    ],
    [
      'none is taken',
      { refusedLately: ['a device takes 5 frames a second'], takenLately: false },
      'Not sending',
      /somebody else/,
    ],
    ['the line is slow', { pace: { blame: 'slow-line', scale: 1 } }, 'Sending', /line is slow/],
    ['the hub takes little ones', { pace: { blame: 'well', scale: 0.5 } }, 'Sending', /no larger ones/],
  ])('says what to do when %s', (_, facts, word, sentence) => {
    const status = toStatus({ ...fine, ...facts });
    expect(status.word).toBe(word);
    expect(status.sentence).toMatch(sentence);
  });

  it('has no count in it, so that it is read out when it changes and not with each frame', () => {
    expect(toStatus(fine)).toEqual(toStatus({ ...fine, tally: { taken: 133 } }));
  });

  it('knows before Start that an unsafe page gets no camera', () => {
    expect(toReadyStatus(true).word).toBe('Ready');
    expect(toReadyStatus(false)).toMatchObject({
      word: 'Not sending',
      sentence: expect.stringMatching(/https/),
    });
  });
});
